type Schema = { $ref?: string; enum?: string[]; items?: Schema; properties?: Record<string, Schema> };
type Content = { content: { 'application/json': { schema: Schema; examples?: object } } };
type Repeat = 'ALWAYS' | 'BY_KEY' | 'BY_HEADER';

type DescribedOperation = {
  operationId: string;
  description: string;
  'x-required-scope': string | null;
  'x-tenant': 'own' | 'path' | 'platform';
  'x-repeat': Repeat;
  parameters: { in?: string; name?: string; required?: boolean }[];
  requestBody?: Content & { required: boolean };
  responses: Record<string, Partial<Content> & { $ref?: string }>;
};

type Document = {
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Content> };
};

/** An operation as the SDK needs it. Types are given by name. */
export type Operation = {
  name: string;
  resource: string;
  verb: string;
  method: string;
  path: string;
  /** In the order of the path. */
  parameters: string[];
  description: string;
  scope: string | null;
  isOfPlatformTenant: boolean;
  repeat: Repeat;
  query: { type: string; isRequired: boolean } | null;
  body: { type: string; isRequired: boolean } | null;
  answer: string;
  isList: boolean;
  codes: string[];
};

export type Api = {
  operations: Operation[];
  resources: { name: string; description: string }[];
  /** The named types of requests, whose enums are closed. */
  requests: Set<string>;
  /** The named types of pages, which the SDK has a generic type for. */
  pages: Set<string>;
};

export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
export const singular = (resource: string) => resource.replace(/ies$/, 'y').replace(/s$/, '');

const nameOf = (schema: Schema | undefined) => schema?.$ref?.split('/').at(-1);

export function readDocument({ tags, paths, components }: Document): Api {
  const pages = new Set<string>();
  const { schemas } = components;
  // Only requests have closed enums.
  const requests = new Set(Object.keys(schemas).filter((name) => schemas[name]?.enum));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): Operation => {
      const { operationId: name, requestBody, responses } = described;
      const [resource = '', verb = ''] = name.split('.');
      const body = nameOf(requestBody?.content['application/json'].schema);
      if (body) requests.add(body);
      const ofQuery = described.parameters.filter(({ in: place }) => place === 'query');
      const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
      const answer = nameOf(success?.content?.['application/json'].schema) ?? '';
      const isList = ofQuery.some(({ name }) => name === 'cursor');
      if (isList) pages.add(answer);
      return {
        name,
        resource,
        verb,
        method: method.toUpperCase(),
        path,
        parameters: Array.from(path.matchAll(/\{(\w+)\}/g), ([, parameter = '']) => parameter),
        description: described.description.split('\n\nRequires the scope')[0] ?? '',
        scope: described['x-required-scope'],
        isOfPlatformTenant: described['x-tenant'] === 'platform',
        repeat: described['x-repeat'],
        query:
          ofQuery.length > 0
            ? {
                type: `${capitalized(singular(resource))}${capitalized(verb)}Query`,
                isRequired: ofQuery.some(({ required }) => required === true),
              }
            : null,
        body: body ? { type: body, isRequired: requestBody?.required === true } : null,
        answer: isList ? itemOf(answer) : answer,
        isList,
        codes: codesOf(responses),
      };
    }),
  );
  return { operations, resources: tags, requests, pages };

  /** The items of a page, or of the bare array of credentials. */
  function itemOf(list: string): string {
    const schema = schemas[list];
    return nameOf((schema?.properties?.items ?? schema)?.items) ?? '';
  }

  function codesOf(responses: DescribedOperation['responses']): string[] {
    const failures = Object.entries(responses).filter(([status]) => Number(status) >= 400);
    return failures.flatMap(([, response]) => {
      const content = response.$ref ? components.responses[nameOf(response) ?? '']?.content : response.content;
      return Object.keys(content?.['application/json'].examples ?? {});
    });
  }
}
