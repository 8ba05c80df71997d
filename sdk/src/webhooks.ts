import type { PlatformEvent } from './api.gen.js';

/** A delivery as it arrived. */
export interface WebhookRequest {
  /** The headers of the request: a Headers object, or an object such as Node's `req.headers`, in any spelling of the names. */
  headers: { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The raw body exactly as it arrived. JSON that was parsed and serialized again has another signature. */
  body: string | Uint8Array;
}

export interface WebhookOptions {
  /** The secret of the callback endpoint, `whsec_…`. During a rotation: the new and the previous one. */
  secret: string | readonly string[];
  /** How far the time of the delivery may differ from the local clock, in seconds. Default: 300. */
  toleranceSeconds?: number | undefined;
}

/** The reason why a delivery is not trusted. Answer it with 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  override get name(): 'WebhookVerificationError' {
    return 'WebhookVerificationError';
  }

  constructor(
    readonly code: 'HEADER_MISSING' | 'TIMESTAMP_OUTSIDE_TOLERANCE' | 'SIGNATURE_MISMATCH' | 'BODY_IS_NOT_JSON',
    message: string,
  ) {
    super(message);
  }
}

const DEFAULT_TOLERANCE_SECONDS = 300;
/** A sender has one or two secrets. Each signature costs a hash of the whole body. */
const MOST_SIGNATURES = 10;
const MAC_BYTES = 32;
/** As Standard Webhooks says. */
const SECRET_BYTES = { least: 24, most: 64 };
const encoder = new TextEncoder();

/**
 * Verifies a delivery (Standard Webhooks, `v1`) and returns its event. An event may be delivered more than once: deduplicate by
 * `event_id`. The signature is compared in constant time.
 *
 * @throws WebhookVerificationError if it is not signed with a secret of the endpoint, or is too old.
 */
export async function verifyWebhook(request: WebhookRequest, options: WebhookOptions): Promise<PlatformEvent> {
  const id = header(request, 'webhook-id');
  const timestamp = header(request, 'webhook-timestamp');
  const signatures = header(request, 'webhook-signature');
  const { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS } = options;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds)) {
    throw new WebhookVerificationError(
      'TIMESTAMP_OUTSIDE_TOLERANCE',
      `webhook-timestamp is more than ${toleranceSeconds} seconds from now: an old delivery, or a wrong clock here.`,
    );
  }
  const body = typeof request.body === 'string' ? encoder.encode(request.body) : request.body;
  const signed = new Uint8Array([...encoder.encode(`${id}.${timestamp}.`), ...body]);
  if (!(await isSigned(signed, signatures, [options.secret].flat()))) {
    throw new WebhookVerificationError(
      'SIGNATURE_MISMATCH',
      'No signature matches: check that the secret belongs to the endpoint, and that the body is the raw one.',
    );
  }
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    throw new WebhookVerificationError('BODY_IS_NOT_JSON', 'The body is signed and is not JSON.');
  }
}

async function isSigned(signed: Uint8Array<ArrayBuffer>, signatures: string, secrets: string[]): Promise<boolean> {
  const macs = signatures.split(' ').flatMap((signature) => bytesOf(/^v1,(.+)$/.exec(signature)?.[1]) ?? []);
  const given = macs.filter(({ length }) => length === MAC_BYTES).slice(0, MOST_SIGNATURES);
  for (const secret of secrets) {
    const bytes = bytesOf(secret.replace(/^whsec_/, ''));
    if (!bytes || bytes.length < SECRET_BYTES.least || bytes.length > SECRET_BYTES.most) {
      throw new TypeError(
        'secret must be whsec_ and 24 to 64 bytes as base64: the secret that the endpoint showed once.',
      );
    }
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const mac of given) if (await crypto.subtle.verify('HMAC', key, mac, signed)) return true;
  }
  return false;
}

function header({ headers }: WebhookRequest, name: string): string {
  const value = typeof headers.get === 'function' ? headers.get(name) : ofAnySpelling(headers, name);
  if (typeof value === 'string' && value) return value;
  throw new WebhookVerificationError('HEADER_MISSING', `The header ${name} is missing: this is not a delivery.`);
}

/** Names of headers have no case: AWS Lambda and Netlify pass them on as they came. */
const ofAnySpelling = (headers: object, name: string): unknown =>
  Object.entries(headers).find(([spelling]) => spelling.toLowerCase() === name)?.[1];

function bytesOf(base64: string | undefined): Uint8Array<ArrayBuffer> | undefined {
  try {
    return base64 === undefined ? undefined : Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
