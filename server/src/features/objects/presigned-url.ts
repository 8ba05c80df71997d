import { AwsV4Signer } from 'aws4fetch';

/** A bucket of a store, and the access key to it. */
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
  /** All are signed: the store refuses the request without them, and with others in their place. */
  headers: Record<string, string>;
  query: Record<string, string>;
  signedAt: Date;
  expiresInSeconds: number;
};

/** The URL of one request by AWS Signature Version 4. It is what was signed: all but RFC 3986's unreserved characters encoded. */
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
    // Otherwise Content-Type and Content-Length go unsigned.
    allHeaders: true,
  });
  // The signer's own URL writes spaces of the query as `+`.
  const { encodedPath, encodedSearch } = signer;
  return `${url.origin}${encodedPath}?${encodedSearch}&X-Amz-Signature=${await signer.signature()}`;
}

function objectUrl({ endpoint, forcePathStyle, bucket }: Bucket, key: string): string {
  const path = key.split('/').map(encodeURIComponent).join('/');
  return forcePathStyle ? `${endpoint}/${bucket}/${path}` : `${endpoint.replace('://', `://${bucket}.`)}/${path}`;
}
