import { generateOpenApi } from '@ts-rest/open-api';
import type { z } from 'zod';
import { contract, type Operation } from '../src/contract.js';
import { errorsOf } from '../src/errors-of.js';
import { PlatformEvent } from '../src/events.js';
import { resources } from '../src/resources.js';
import { type DescribedEvent, describedEvents } from './described-events.js';
import { headerReferences, headers, parameters, securitySchemes } from './openapi-components.js';
import { errorExamples, errorResponses, sharedErrorResponses } from './openapi-errors.js';
import { jsonContent, namedSchemas, transformSchema } from './schemas.js';

type OperationMapper = NonNullable<NonNullable<Parameters<typeof generateOpenApi>[2]>['operationMapper']>;
type OpenApiOperation = ReturnType<OperationMapper>;

const info = {
  title: 'Tenant Open Platform',
  version: '1',
  license: { name: 'MIT', identifier: 'MIT' },
  description: `Multi-tenant cloud-to-device control. Requests and answers are JSON; every answer carries \`request_id\`.

Every request is signed. In Python, with \`body\` the exact bytes sent (\`b''\` without a body) and \`target\` the path and query exactly as sent:

\`\`\`python
timestamp, nonce = str(int(time.time())), str(uuid.uuid4())
text = '\\n'.join(['HMAC-SHA256-V1', method, target, client_id,
                  timestamp, nonce, hashlib.sha256(body).hexdigest()])
headers = {'X-Api-Id': client_id,
           'X-Api-Timestamp': timestamp,
           'X-Api-Nonce': nonce,
           'X-Api-Signature': 'v1=' + hmac.new(secret.encode(), text.encode(), 'sha256').hexdigest(),
           'Content-Type': 'application/json'}
\`\`\``,
};

const usualMeanings: Record<string, string> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted and persisted, or accepted before. It does not mean that the device executed it.',
};

/** The OpenAPI description of the whole contract, the content of openapi.json. */
export function buildOpenApi() {
  const { paths } = generateOpenApi(
    contract,
    { info },
    { setOperationId: 'concatenated-path', schemaTransformer: transformSchema, operationMapper: mapOperation },
  );
  const webhooks = Object.fromEntries(describedEvents.map((event) => [event.type, webhook(event)]));
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: 'http://127.0.0.1:8787', description: 'A platform started with npm start.' }],
    security: [Object.fromEntries(Object.keys(securitySchemes).map((name) => [name, []]))],
    tags: Object.entries(resources).map(([name, { title, description }]) => ({
      name,
      'x-displayName': title,
      description,
    })),
    paths,
    webhooks,
    components: {
      schemas: namedSchemas({ paths, webhooks, responses: sharedErrorResponses }),
      responses: sharedErrorResponses,
      examples: errorExamples,
      parameters,
      headers,
      securitySchemes,
    },
  };
}

export const renderOpenApi = (): string => `${JSON.stringify(buildOpenApi(), null, 2)}\n`;

function mapOperation(operation: OpenApiOperation, appRoute: unknown): OpenApiOperation {
  const route = appRoute as Operation['route'];
  const name = operation.operationId ?? '';
  const { scope, specified, tenant, repeat = 'ALWAYS' } = route.metadata;
  const parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/X-Request-Id' }];
  return {
    operationId: name,
    tags: operation.tags,
    summary: route.summary,
    description: scope ? `${route.description}\n\nNeeds the scope \`${scope}\`.` : route.description,
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
  const { successes = {}, answerHeaders } = metadata;
  const statuses = Object.keys(responses).filter((status) => Number(status) < 400);
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: successes[Number(status)] ?? usualMeanings[status],
        headers: headerReferences(answerHeaders),
        content: jsonContent(responses[Number(status)]),
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
        'An event of the tenant, as a later delivery service is to post it to a subscribed endpoint: the platform delivers nothing. It may arrive more than once: copies have the same event_id.',
      security: [],
      requestBody: { required: true, content: jsonContent(PlatformEvent, example) },
      responses: { '2XX': { description: 'Received.' } },
    },
  };
}
