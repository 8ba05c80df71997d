type Json = Record<string, unknown>;
type Parameter = { name?: string; in?: string; example?: unknown; schema?: { type?: unknown; default?: unknown } };

const time = '2026-01-31T09:30:00.000Z';

/** Examples of the parameters that no body and no answer has. */
const values: Json = {
  from: 'now',
  /** The tenant of the examples. */
  confirm: 'demo',
  /** Of a device; in answers it is the correlation id. */
  request_id: '019bd3a4-5c4e-7e99-8cc8-e18293a4b5c6',
  accepted_after: time,
  accepted_before: time,
  completed_after: time,
  completed_before: time,
  occurred_after: time,
  occurred_before: time,
  received_after: time,
  changed_after: time,
  received_before: time,
  parked_after: time,
  parked_before: time,
  wait_seconds: 30,
  is_final: false,
  has_late_result: true,
  older_than: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
  group_by: 'reason',
};

/** Only an earlier answer has their values. Pages send every example, and these would be refused. */
const withoutExample = ['cursor', 'seen_updated_at'];

/** Gives each parameter an example: the value in an answer of its operation, or else of any operation. */
export function addParameterExamples(paths: object): void {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods as object) as Json[]);
  for (const operation of operations) {
    const sources = [operation.responses, operation.requestBody, operations.map(({ responses }) => responses)];
    for (const parameter of operation.parameters as Parameter[]) {
      if (!parameter.name || 'example' in parameter || withoutExample.includes(parameter.name)) continue;
      const { name, schema } = parameter;
      const example = values[name] ?? schema?.default ?? find(name, examplesIn(sources));
      if (example === undefined) throw new Error(`the parameter ${name} of ${operation.operationId} has no example`);
      parameter.example = schema?.type === 'array' ? [example] : example;
    }
  }
}

/** The examples of bodies and answers in a part of the description, in its order. */
function* examplesIn(node: unknown): Generator<unknown> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'example') yield value;
    else yield* examplesIn(value);
  }
}

/** The first text under the name in the examples. A name may have an object or a list elsewhere. */
function find(name: string, examples: Iterable<unknown>): unknown {
  for (const example of examples) {
    const found = findIn(example, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findIn(node: unknown, name: string): unknown {
  if (typeof node !== 'object' || node === null) return undefined;
  const own = (node as Json)[name];
  if (typeof own === 'string') return own;
  for (const child of Object.values(node)) {
    const found = findIn(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
