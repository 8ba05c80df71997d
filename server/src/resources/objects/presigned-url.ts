import { AwsV4Signer } from 'aws4fetch';

export type Bucket = {
  endpoint: string;
  region: string;
  forcePathStyle: boolean;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | null;
};

type PresignedRequest = {
  method: 'PUT' | 'GET';
  key: string;
  /** All of them are signed: the store refuses the request if one is missing or changed. */
  headers: Record<string, string>;
  query: Record<string, string>;
  signedAt: Date;
  expiresInSeconds: number;
};

/** Signed by AWS Signature Version 4, and encoded as it was signed: all but the unreserved characters. */
export async function presignedUrl(bucket: Bucket, request: PresignedRequest): Promise<string> {
  const url = new URL(objectUrl(bucket, request.key));
  for (const [name, value] of Object.entries(request.query)) url.searchParams.set(name, value);
  url.searchParams.set('X-Amz-Expires', String(request.expiresInSeconds));
  const signer = new AwsV4Signer({
    method: request.method,
    url: url.href,
    headers: request.headers,
    accessKeyId: bucket.accessKeyId,
    secretAccessKey: bucket.secretAccessKey,
    ...(bucket.sessionToken !== null && { sessionToken: bucket.sessionToken }),
    service: 's3',
    region: bucket.region,
    datetime: request.signedAt.toISOString().replace(/[:-]|\.\d{3}/g, ''),
    signQuery: true,
    // Otherwise Content-Type and Content-Length would not be signed.
    allHeaders: true,
  });
  // The URL that the signer returns writes spaces in the query as `+`.
  const { encodedPath, encodedSearch } = signer;
  return `${url.origin}${encodedPath}?${encodedSearch}&X-Amz-Signature=${await signer.signature()}`;
}

function objectUrl({ endpoint, forcePathStyle, bucket }: Bucket, key: string): string {
  const path = key.split('/').map(encodeURIComponent).join('/');
  return forcePathStyle ? `${endpoint}/${bucket}/${path}` : `${endpoint.replace('://', `://${bucket}.`)}/${path}`;
}
