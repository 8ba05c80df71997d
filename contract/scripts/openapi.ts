import { generateOpenApi } from '@ts-rest/open-api';
import type { z } from 'zod';
import { contract, type Operation } from '../src/contract.js';
import { ErrorBody } from '../src/errors.js';
import { errorsOf } from '../src/errors-of.js';
import { PlatformEvent } from '../src/events.js';
import { resources } from '../src/resources.js';
import { PLATFORM_TENANT_ID } from '../src/scopes.js';
import { codeSamples, type SampledOperation } from './code-samples.js';
import { type DescribedEvent, describedEvents } from './described-events.js';
import { separateEnums } from './enums.js';
import { headerReferences, headers, parameters, securitySchemes } from './openapi-components.js';
import { errorExamples, errorResponses, sharedErrorResponses } from './openapi-errors.js';
import { addParameterExamples } from './parameter-examples.js';
import { jsonContent, namedSchemas, referenceTo, transformSchema } from './schemas.js';

type OperationMapper = NonNullable<NonNullable<Parameters<typeof generateOpenApi>[2]>['operationMapper']>;
type OpenApiOperation = ReturnType<OperationMapper>;

const info = {
  title: 'Tenant Open Platform',
  version: '1',
  license: { name: 'MIT', identifier: 'MIT' },
  contact: { name: 'The operator of the platform' },
  description: `API for sending commands to devices, for many tenants. Requests and responses are JSON. Every response has the correlation id of the request: in the header \`X-Request-Id\`, and in the body as \`request_id\`. If the body is an array, each item has \`request_id\`.

## Terms

- **messaging bus**: NATS, over which the platform sends commands and receives their outcomes
- **adapter**: the program of a vendor that is connected to the messaging bus; it delivers commands to devices and reports their outcomes
- **scope**: the permission to call certain operations, such as \`open:command:read\`
- **operator**: the people who run the platform and set its configuration
- **tenant \`${PLATFORM_TENANT_ID}\`**: the tenant of the platform administrators
- **platform administrator**: a credential of the tenant \`${PLATFORM_TENANT_ID}\` with the role \`platform_admin\`; it administers all tenants
- **tenant administrator**: a credential with the role \`tenant_admin\`; it administers its own tenant
- **operation id**: the name of an operation in this document, such as \`credentials.create\`

## Signing

The client must sign every request. This Python code computes the signature and the headers. \`body\` contains the exact bytes of the body, or \`b''\` if there is none. \`target\` is the path with the query, exactly as sent.

\`\`\`python
timestamp, nonce = str(int(time.time())), str(uuid.uuid4())
text = '\\n'.join(['HMAC-SHA256-V1', method, target, client_id,
                  timestamp, nonce, hashlib.sha256(body).hexdigest()])
headers = {'X-Api-Id': client_id,
           'X-Api-Timestamp': timestamp,
           'X-Api-Nonce': nonce,
           'X-Api-Signature': 'v1=' + hmac.new(secret.encode(), text.encode(), 'sha256').hexdigest(),
           'Content-Type': 'application/json'}
\`\`\`

## Compatibility

Changes to \`/api/v1\` are backward compatible: they only add things. A client must accept these additions:

- a new operation
- a new optional field or parameter of a request
- a new field or header of a response
- a new error code
- a new value in a schema with \`x-extensible-enum\`

For an unknown error code, use the HTTP status of the response. Ignore unknown fields, unknown headers and other unknown values. An enum in a request has only the listed values: the platform refuses any other value with 400.

Nothing else changes, with one exception: the platform can remove an operation 180 days or more after it was marked as \`deprecated\`. Until the removal, the responses of the operation have the headers \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594).`,
};

const usualMeanings: Record<string, string> = {
  200: 'Success.',
  201: 'Created.',
  202: 'The command is stored, by this request or by an earlier one with the same idempotency_key. 202 does not mean that the device executed it.',
};

/** The OpenAPI description of the whole contract, the content of openapi.json. */
export function buildOpenApi() {
  const { paths } = generateOpenApi(
    contract,
    { info },
    { setOperationId: 'concatenated-path', schemaTransformer: transformSchema, operationMapper: mapOperation },
  );
  addParameterExamples(paths);
  addCodeSamples(paths);
  const webhooks = Object.fromEntries(describedEvents.map((event) => [event.type, webhook(event)]));
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: '/', description: 'The platform that serves this document.' }],
    security: [Object.fromEntries(Object.keys(securitySchemes).map((name) => [name, []]))],
    tags: Object.entries(resources).map(([name, { title, description }]) => ({
      name,
      'x-displayName': title,
      description,
    })),
    'x-tagGroups': tagGroups(),
    paths,
    webhooks,
    components: {
      schemas: separateEnums({
        ...directionsOf(paths),
        schemas: namedSchemas({ paths, webhooks, responses: sharedErrorResponses }),
      }),
      responses: sharedErrorResponses,
      examples: errorExamples,
      parameters,
      headers,
      securitySchemes,
    },
  };
}

/** How reference pages group the resources. */
function tagGroups() {
  const isOfPlatform = (name: string) =>
    Object.values(contract[name as keyof typeof contract]).every(({ path }) => path.startsWith('/api/v1/platform/'));
  const names = Object.keys(resources);
  return [
    { name: 'Open operations', tags: names.filter((name) => !isOfPlatform(name)) },
    { name: 'Administration', tags: names.filter(isOfPlatform) },
  ];
}

type Described = OpenApiOperation & {
  parameters: SampledOperation['parameters'];
  requestBody?: { content: { 'application/json': { example?: object; examples?: Record<string, { value: object }> } } };
};

function addCodeSamples(paths: object): void {
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods as Record<string, Described>)) {
      const { operationId: name = '', parameters, requestBody, responses } = operation;
      const { example, examples } = requestBody?.content['application/json'] ?? {};
      const body = example ?? examples?.default?.value;
      const request = { name, method: method.toUpperCase(), path, parameters, body };
      operation['x-codeSamples'] = codeSamples({ ...request, responses });
    }
  }
}

/** The parts of the operations that callers send, and those that the platform does. Webhooks are the platform's. */
function directionsOf(paths: object) {
  const described = Object.values(paths).flatMap((methods) => Object.values(methods) as OpenApiOperation[]);
  return {
    requests: described.flatMap(({ parameters = [], requestBody }) => [...parameters, requestBody ?? {}]),
    answers: [
      ...described.map(({ responses }) => responses),
      ...[PlatformEvent, ErrorBody].map((schema) => ({ $ref: referenceTo(schema.meta()?.id ?? '') })),
    ],
  };
}

export const renderOpenApi = (): string => `${JSON.stringify(buildOpenApi(), null, 2)}\n`;

type Parameter = NonNullable<OpenApiOperation['parameters']>[number];

/** A query has each name once. */
const joinedByCommas = (parameter: Parameter): Parameter =>
  'schema' in parameter && (parameter.schema as { type?: unknown }).type === 'array'
    ? { ...parameter, style: 'form', explode: false }
    : parameter;

function mapOperation(operation: OpenApiOperation, appRoute: unknown): OpenApiOperation {
  const route = appRoute as Operation['route'];
  const name = operation.operationId ?? '';
  const { scope, specified, tenant, repeat = 'ALWAYS' } = route.metadata;
  const parameters = [
    ...(operation.parameters ?? []).map(joinedByCommas),
    { $ref: '#/components/parameters/X-Request-Id' },
    ...(repeat === 'BY_HEADER' ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
  ];
  return {
    operationId: name,
    tags: operation.tags,
    summary: route.summary,
    description: scope ? `${route.description}\n\nRequires the scope \`${scope}\`.` : route.description,
    'x-required-scope': scope,
    'x-tenant': tenant,
    'x-repeat': repeat,
    ...(specified ? {} : { 'x-addition': true }),
    parameters,
    ...('body' in route ? { requestBody: requestBody(route.body as z.ZodType) } : {}),
    responses: { ...successResponses(route), ...errorResponses(errorsOf({ name, route })) },
  };
}

const requestBody = (schema: z.ZodType) => ({
  required: !schema.safeParse(undefined).success,
  content: jsonContent(schema),
});

function successResponses({ responses, metadata }: Operation['route']) {
  const { successes = {}, examples = {}, repeat } = metadata;
  const answerHeaders = repeat === 'BY_HEADER' ? (['Idempotent-Replayed'] as const) : metadata.answerHeaders;
  const statuses = Object.keys(responses).filter((status) => Number(status) < 400);
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: successes[Number(status)] ?? usualMeanings[status],
        headers: headerReferences(answerHeaders),
        content: jsonContent(responses[Number(status)], examples[Number(status)]),
      },
    ]),
  );
}

function webhook({ type, summary, example }: DescribedEvent) {
  return {
    post: {
      operationId: `events.${type}`,
      summary,
      description:
        'The platform will send this event to each callback endpoint that subscribes to its event type. It does not deliver webhooks yet. An event may be delivered more than once; all copies have the same event_id.',
      security: [],
      requestBody: { required: true, content: jsonContent(PlatformEvent, example) },
      responses: { '2XX': { description: 'Received.' } },
    },
  };
}
