type Json = Record<string, unknown>;
type Example = { value?: unknown };
export type Parameter = { name?: string; in?: string; required?: boolean; example?: unknown };
export type Media = { example?: unknown; examples?: Record<string, Example> };
export type Operation = {
  operationId: string;
  'x-codeSamples'?: { lang: string; label: string; source: string }[];
  parameters: Parameter[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { headers?: object; content?: Record<string, Media> }>;
};
export type Document = { paths: Record<string, Record<string, Operation>> };

const JSON_TYPE = 'application/json';

/**
 * The document for a page that sends what it shows: only required parameters are ticked, and each command has an
 * idempotency key of its own. Without this the first request of every list is refused, and a second command is the
 * first one again.
 */
export function prepareExamples(document: Document): void {
  for (const operation of operationsOf(document)) {
    operation.parameters = operation.parameters.map(untick);
    renewKeys(operation);
  }
}

const operationsOf = ({ paths }: Document) => Object.values(paths).flatMap((methods) => Object.values(methods));

function untick(parameter: Parameter): Parameter {
  const { example, ...rest } = parameter;
  if (parameter.required || example === undefined) return parameter;
  return Object.assign(rest, { examples: { default: { value: example, 'x-disabled': true } } });
}

/** The bodies that the operation shows. A body that the reader has edited is text. */
function bodiesOf({ requestBody }: Operation): Json[] {
  const { example, examples = {} } = requestBody?.content[JSON_TYPE] ?? {};
  const shown = [example, ...Object.values(examples).map(({ value }) => value)];
  return shown.filter((body): body is Json => typeof body === 'object' && body !== null);
}

export function renewKeys(operation: Operation): void {
  const renew = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('idempotency_key' in node) node.idempotency_key = crypto.randomUUID();
    for (const child of Object.values(node)) renew(child);
  };
  for (const body of bodiesOf(operation)) renew(body);
}

/**
 * Puts the ids of a response in the place of those in the examples, where the page shows `document`. A list fills in
 * only what is read, so that no single click changes something that the reader has neither created nor read.
 */
export function useIdsOf(
  answer: unknown,
  operation: Operation,
  status: number,
  original: Document,
  document: Document,
) {
  const example = operation.responses[status]?.content?.[JSON_TYPE]?.example;
  const isList = itemOf(example) !== example;
  for (const [name, from, to] of changedIds(itemOf(example), itemOf(answer))) {
    for (const [path, methods] of Object.entries(original.paths)) {
      for (const [method, known] of Object.entries(methods)) {
        const shown = document.paths[path]?.[method];
        if (shown && !(isList && method !== 'get')) replaceId(known, shown, name, from, to);
      }
    }
  }
}

/** The first item of a list; otherwise the answer. */
function itemOf(answer: unknown): unknown {
  const { items = answer } = (answer ?? {}) as { items?: unknown };
  return Array.isArray(items) ? items[0] : items;
}

/** These name the caller and the request, not the thing in the answer. */
const others = ['request_id', 'tenant_id'];

/** In a path, the id of a device request has another name than in an answer. */
const parameterNames: Record<string, string> = { device_request_id: 'request_id' };

function changedIds(example: unknown, answer: unknown): [name: string, from: string, to: string][] {
  const actual = (answer ?? {}) as Json;
  return Object.entries(example ?? {}).flatMap(([name, from]) => {
    const to = actual[name];
    const isId = name.endsWith('_id') && !others.includes(name) && typeof from === 'string' && typeof to === 'string';
    return isId ? [[name, from, to]] : [];
  });
}

function replaceId(known: Operation, shown: Operation, name: string, from: string, to: string): void {
  const parameterName = parameterNames[name] ?? name;
  for (const [index, parameter] of known.parameters.entries()) {
    const target = shown.parameters[index];
    const isIt = parameter.required && parameter.name === parameterName && parameter.example === from;
    if (target && isIt) target.example = to;
  }
  const bodies = bodiesOf(shown);
  for (const [index, body] of bodiesOf(known).entries()) {
    const target = bodies[index];
    if (target && body[name] === from) target[name] = to;
  }
}
