import type { ErrorSchema, RJSFSchema, RJSFValidationError, ValidatorType } from '@rjsf/utils';
import { checkPayload, type Fault } from './check-payload';
import { faultText } from './fault-text';
import type { Payload } from './payload-text';

const stackOf = (fault: Fault) => `/${fault.steps.join('/')} ${faultText(fault)}`;

const toErrors = (faults: readonly Fault[]): RJSFValidationError[] =>
  faults.map((fault) => ({ property: fault.steps.join('.'), message: faultText(fault), stack: stackOf(fault) }));

/** The faults at the fields that they belong to. */
export function toErrorSchema(faults: readonly Fault[]): ErrorSchema<Payload> {
  type Node = { __errors?: string[]; [name: string]: unknown };
  const root: Node = {};
  for (const fault of faults) {
    let at = root;
    for (const step of fault.steps) {
      if (!Object.hasOwn(at, step)) at[step] = {};
      at = at[step] as Node;
    }
    at.__errors = [...(at.__errors ?? []), faultText(fault)];
  }
  return root as ErrorSchema<Payload>;
}

/** What the form asks of a validator. Its schemas have no `$ref`, so it needs no root to find one in. */
export const validator: ValidatorType<Payload, RJSFSchema> = {
  isValid: (schema, data) => checkPayload(schema, data ?? {}).length === 0,
  validateFormData(data, schema) {
    const faults = checkPayload(schema, data ?? {});
    return { errors: toErrors(faults), errorSchema: toErrorSchema(faults) };
  },
  rawValidation: <Result>(schema: RJSFSchema, data?: Payload) => ({
    errors: toErrors(checkPayload(schema, data ?? {})) as Result[],
  }),
};
