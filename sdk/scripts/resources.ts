import { type Api, capitalized, type Operation, singular } from './document.js';

/** Resources with additional methods: a class in src/resources. */
const extended = new Set(['commands', 'deviceRequests', 'events', 'objects']);
/** Operations whose method in src/resources takes other arguments. */
const written = new Set(['commands.createMany']);
const LINE = 120;

/** The type of each resource, with a documented method per operation. */
export function renderResources({ operations: all, resources }: Api): string {
  const operations = all.filter(({ name }) => !written.has(name));
  const types = new Set(
    operations.flatMap(({ query, body, answer }) => [query?.type, body?.type, answer]).filter(Boolean),
  );
  const everywhere = operations
    .map(({ codes }) => codes)
    .reduce((one, other) => one.filter((code) => other.includes(code)));
  const interfaces = resources.map(({ name, description }) => {
    const methods = operations.filter(({ resource }) => resource === name);
    const className = `${capitalized(name)}${extended.has(name) || types.has(capitalized(name)) ? 'Resource' : ''}`;
    const text = `/** ${description} */
export interface ${className} {${methods.map((operation) => renderMethod(operation, everywhere)).join('')}}
`;
    return { name, className, text };
  });
  const plain = interfaces.filter(({ name }) => !extended.has(name));
  return `import type {
${[...types]
  .sort()
  .map((type) => `  ${type},`)
  .join('\n')}
} from './api.gen.js';
import type { ApiPromise } from './core/api-promise.js';
import type { PagePromise } from './core/page.js';
import type { KeyedRequestOptions, RequestOptions } from './core/request-options.js';

${interfaces.map(({ text }) => text).join('\n')}
/** The resources whose methods are all generated. */
export interface Resources {
${plain.map(({ name, className }) => `  ${name}: ${className};`).join('\n')}
}
`;
}

const idsOf = ({ parameters, resource }: Operation) =>
  parameters.map((parameter) =>
    // The path calls a device request request_id; everywhere else that name is the correlation id.
    camelCase(parameter === 'request_id' ? `${singular(resource)}_id` : parameter),
  );

/** The body that a method takes: an optional one has no fields. */
export const bodyOf = ({ body }: Operation) => (body?.isRequired ? body : null);

/** The names of a method's parameters, as documentation shows them. */
export function parametersOf(operation: Operation): string[] {
  const { query } = operation;
  return [
    ...idsOf(operation),
    ...(bodyOf(operation) ? ['body'] : []),
    ...(query ? [query.isRequired ? 'query' : 'query?'] : []),
    'options?',
  ];
}

function renderMethod(operation: Operation, everywhere: string[]): string {
  const { verb, query, answer, isList, repeat } = operation;
  const ids = idsOf(operation);
  const sentBody = bodyOf(operation);
  const signature = [
    ...ids.map((id) => `${id}: string`),
    sentBody && `body: ${sentBody.type}`,
    query && `query${query.isRequired ? '' : '?'}: ${query.type}`,
    `options?: ${repeat === 'BY_HEADER' ? 'KeyedRequestOptions' : 'RequestOptions'}`,
  ];
  return `
${renderComment(operation, everywhere)}
  ${verb}(${signature.filter(Boolean).join(', ')}): ${isList ? 'PagePromise' : 'ApiPromise'}<${answer}>;
`;
}

const camelCase = (text: string) => text.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function renderComment(
  { description, method, scope, isOfPlatformTenant, repeat, codes }: Operation,
  everywhere: string[],
) {
  const own = codes.filter(
    (code) => !everywhere.includes(code) && code !== 'FORBIDDEN' && !/MALFORMED_JSON|MEDIA_TYPE/.test(code),
  );
  const facts = [
    repeatRule(repeat, method),
    scope && `Scope ${scope}${isOfPlatformTenant ? ', in tenant `platform`' : ''}.`,
    own.length > 0 && `Errors: ${own.join(', ')}.`,
  ];
  const paragraphs = [description, '', ...facts.filter((fact) => typeof fact === 'string')];
  return ['  /**', ...paragraphs.flatMap(wrapped).map((line) => `   * ${line}`.trimEnd()), '   */'].join('\n');
}

function repeatRule(repeat: Operation['repeat'], method: string): string {
  if (repeat === 'BY_KEY') return 'Retried with the same idempotency_key.';
  if (repeat === 'BY_HEADER') return 'Retried with the same Idempotency-Key.';
  const deleted = ' A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.';
  return `Retried.${method === 'DELETE' ? deleted : ''}`;
}

function wrapped(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line && line.length + word.length + 6 > LINE) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines;
}
