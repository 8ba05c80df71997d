type Json = Record<string, unknown>;
type Schema = Json & { $ref?: string; properties?: Record<string, Schema>; required?: string[]; items?: Schema };
type Parameter = { $ref?: string; name: string; in: string; required?: boolean; explode?: boolean; schema: Schema };
type Body = { content: { 'application/json': { schema: Schema } } };
type DescribedOperation = {
  'x-required-scope'?: string | null;
  parameters: Parameter[];
  requestBody?: Body & { required: boolean };
  responses: Record<string, Partial<Body>>;
};
export type Document = { paths: Record<string, Record<string, DescribedOperation>>; components: Json };

/** What a client of the released document could not do with the current one. */
export function breakingChanges(released: Document, current: Document): string[] {
  const changes: string[] = [];
  const report = (at: string, change: string) => changes.push(`${at}: ${change}`);

  for (const [path, methods] of Object.entries(released.paths)) {
    for (const [method, before] of Object.entries(methods)) {
      const at = `${method.toUpperCase()} ${path}`;
      const after = current.paths[path]?.[method];
      if (after) compareOperations(at, before, after);
      else report(at, 'is gone');
    }
  }
  return changes;

  function compareOperations(at: string, before: DescribedOperation, after: DescribedOperation): void {
    if (before['x-required-scope'] !== after['x-required-scope']) report(at, 'needs another scope');
    compareParameters(at, byName(before.parameters), byName(after.parameters));
    if (after.requestBody?.required && !before.requestBody?.required) report(at, 'requires a body');
    if (before.requestBody && !after.requestBody) report(at, 'takes no body');
    compareBodies('request', `${at} body`, before.requestBody, after.requestBody);
    const isStored = before.parameters.some(({ $ref }) => $ref?.endsWith('/Idempotency-Key'));
    const direction = isStored ? 'stored answer' : 'answer';
    for (const [status, response] of Object.entries(before.responses)) {
      if (Number(status) >= 400) continue;
      if (after.responses[status]) compareBodies(direction, `${at} ${status}`, response, after.responses[status]);
      else report(at, `no longer answers ${status}`);
    }
  }

  function compareParameters(at: string, before: Map<string, Parameter>, after: Map<string, Parameter>): void {
    for (const [name, parameter] of after) {
      if (parameter.required && !before.get(name)?.required) report(at, `requires ${name}`);
    }
    for (const [name, parameter] of before) {
      const now = after.get(name);
      if (now) compare('request', `${at} ${name}`, parameter.schema, oneOf(parameter, now));
      else report(at, `no longer takes ${name}`);
    }
  }

  function compareBodies(direction: Direction, at: string, before?: Partial<Body>, after?: Partial<Body>): void {
    const [one, other] = [before, after].map((body) => body?.content?.['application/json'].schema);
    if (one && other) compare(direction, at, one, other);
  }

  function compare(direction: Direction, at: string, schemaBefore: Schema, schemaAfter: Schema): void {
    const before = resolve(released, schemaBefore);
    const after = resolve(current, schemaAfter);
    for (const change of differencesOf(direction, before, after)) report(at, change);
    for (const [name, property] of Object.entries(before.properties ?? {})) {
      const now = after.properties?.[name];
      if (now) compare(direction, `${at}.${name}`, property, now);
      else report(`${at}.${name}`, 'is gone');
    }
    if (before.items && after.items) compare(direction, `${at}[]`, before.items, after.items);
    const [ways, waysNow] = [before, after].map(({ anyOf }) => (anyOf ?? []) as Schema[]);
    ways?.forEach((way, index) => {
      if (waysNow?.[index]) compare(direction, at, way, waysNow[index]);
    });
  }
}

/** A node also sends the answers that an older version has stored for an Idempotency-Key. */
type Direction = 'request' | 'answer' | 'stored answer';

const byName = (parameters: readonly Parameter[]) =>
  new Map(parameters.filter(({ $ref }) => !$ref).map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));

/** A list that is joined by commas also takes one value, as before. */
const oneOf = (before: Parameter, { schema, explode }: Parameter): Schema =>
  before.schema.type !== 'array' && schema.items && explode === false ? schema.items : schema;

function resolve(document: Document, schema: Schema): Schema {
  const { $ref, ...beside } = schema;
  const name = $ref?.split('/').at(-1);
  return name ? { ...(document.components.schemas as Record<string, Schema>)[name], ...beside } : schema;
}

const upperBounds = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
const lowerBounds = ['minimum', 'minLength', 'minItems', 'minProperties'];

/** A request must go on to be accepted, so its schema may only widen. An answer must go on to fit, so it may only narrow. */
function differencesOf(direction: Direction, before: Schema, after: Schema): string[] {
  const changes: string[] = [];
  const isRequest = direction === 'request';
  for (const set of ['type', 'enum'] as const) {
    const [valuesBefore, valuesAfter] = [before, after].map((schema) => [schema[set] ?? []].flat());
    const [kept, limit] = isRequest ? [valuesBefore, valuesAfter] : [valuesAfter, valuesBefore];
    // Without a list every value is possible.
    const beyond = kept?.filter((value) => !limit?.includes(value)) ?? [];
    if (limit?.length && (kept?.length === 0 || beyond.length > 0)) {
      changes.push(`${set} ${isRequest ? 'lost' : 'gained'} ${beyond.join(', ') || 'values'}`);
    }
  }
  for (const name of ['format', 'pattern', 'const'] as const) {
    const isRelied = (isRequest ? after : before)[name] !== undefined;
    if (before[name] !== after[name] && isRelied) {
      changes.push(`${name} changed`);
    }
  }
  const [requiredBefore, requiredAfter] = [before.required ?? [], after.required ?? []];
  const [more, fewer] = isRequest ? [requiredAfter, requiredBefore] : [requiredBefore, requiredAfter];
  for (const name of more.filter((name) => !fewer.includes(name))) {
    changes.push(isRequest ? `requires ${name}` : `${name} may be absent`);
  }
  if (direction === 'stored answer') {
    const missing = requiredAfter.filter((name) => !requiredBefore.includes(name));
    changes.push(...missing.map((name) => `stored answers lack ${name}`));
  }
  if (isRequest) {
    const bound = (schema: Schema, name: string, none: number) => Number(schema[name] ?? none);
    const lower = upperBounds.filter((name) => bound(after, name, Infinity) < bound(before, name, Infinity));
    const higher = lowerBounds.filter((name) => bound(after, name, -Infinity) > bound(before, name, -Infinity));
    changes.push(...lower.map((name) => `${name} is lower`), ...higher.map((name) => `${name} is higher`));
  }
  return changes;
}
