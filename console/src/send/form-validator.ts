import type { ErrorSchema, RJSFSchema, ValidatorType } from '@rjsf/utils';
import type { Fault } from './check-payload';
import type { Payload } from './payload-text';

/** The names and indices that lead to the fault (RFC 6901), without the first step, which is the payload itself. */
const stepsOf = ({ location }: Fault) =>
  location
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The faults at the fields that they belong to. */
export function toErrorSchema(faults: readonly Fault[]): ErrorSchema<Payload> {
  type Node = { __errors?: string[]; [name: string]: unknown };
  const root: Node = {};
  for (const fault of faults) {
    let at = root;
    for (const step of stepsOf(fault)) {
      if (!Object.hasOwn(at, step)) at[step] = {};
      at = at[step] as Node;
    }
    at.__errors = [...(at.__errors ?? []), fault.message];
  }
  return root as ErrorSchema<Payload>;
}

/** The form validates nothing by itself. It only asks which choice a value is, and each choice is a constant. */
export const validator: ValidatorType<Payload, RJSFSchema> = {
  isValid: (schema, data) => schema.const === data,
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({ errors: [] }),
};
