import { InvalidArgumentError } from '../errors.js';

/** Headers that the client or the runtime sets. Another value would break the signature, the body or the connection. */
const RESERVED =
  /^(x-api-.*|x-request-id|idempotency-key|accept|user-agent|content-.*|host|connection|keep-alive|transfer-encoding|upgrade|expect|te|trailer)$/i;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\x20-\x7e\t]*$/;

/** Headers of the caller, checked. They are not signed. */
export function checkedHeaders(headers: Readonly<Record<string, string>> | undefined): Record<string, string> {
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (RESERVED.test(name)) throw new InvalidArgumentError(`The header ${name} is set by the client.`);
    if (!NAME.test(name) || !VALUE.test(value)) {
      throw new InvalidArgumentError(`The header ${name} must have a name and a value of printable ASCII.`);
    }
  }
  return { ...headers };
}
