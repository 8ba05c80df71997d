import type { ErrorDetail } from '@tenant-open-platform/contract';
import { locationOf } from '@tenant-open-platform/contract/strict-json';
import type { ErrorObject } from 'ajv';

const MAX_DETAILS = 20;

/** The errors of Ajv for a part of a request. */
export const validationDetails = (part: string, errors: ErrorObject[] | null | undefined): ErrorDetail[] =>
  (errors ?? []).slice(0, MAX_DETAILS).map(({ instancePath, keyword, message, params }) => {
    const property = 'additionalProperty' in params ? ` (${locationOf('', [params.additionalProperty]).slice(1)})` : '';
    return {
      location: locationOf(part, instancePath.split('/').slice(1).map(unescapeStep)),
      code: keyword.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(),
      message: `${message ?? 'is not valid'}${property}`,
    };
  });

/** RFC 6901, 4. */
const unescapeStep = (step: string) => step.replaceAll('~1', '/').replaceAll('~0', '~');
