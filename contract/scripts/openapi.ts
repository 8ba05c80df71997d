import { generateOpenApi } from '@ts-rest/open-api';
import { contract, type Operation } from '../src/contract.js';
import { PlatformEvent } from '../src/events.js';
import { type DescribedEvent, describedEvents } from './described-events.js';
import {
  errorResponseReference,
  errorResponses,
  type HeaderName,
  headerReferences,
  headers,
  parameters,
  securitySchemes,
} from './openapi-components.js';
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

/** Every resource of the contract has a tag. */
const tags: Record<keyof typeof contract, [title: string, description: string]> = {
  tenants: ['Tenants', 'The boundary of data isolation. Managed by platform administrators.'],
  credentials: ['Credentials', 'What requests are signed with. Each belongs to one tenant.'],
  roles: ['Roles', 'Named sets of permissions.'],
  roleBindings: ['Role bindings', 'Which credential has which role.'],
  policies: ['Policies', 'What a credential may do directly, without a role.'],
  busPrincipals: ['Messaging-bus principals', 'Who may connect to the messaging bus, by public nkey.'],
  vendors: ['Vendors', 'The vendors of the catalog, for those who keep it.'],
  commandTypes: ['Command types', 'The commands that devices of a vendor know, for those who keep the catalog.'],
  auditEvents: ['Audit events', 'Who changed what, and who was refused.'],
  commands: ['Commands', 'What devices are told to do, and what became of it.'],
  deviceRequests: ['Device requests', 'What devices ask, and what they are told.'],
  events: ['Events', 'What happened to the commands of the tenant, in order.'],
  catalog: ['Catalog', 'The vendors and command types that the platform offers.'],
  objects: ['Objects', "Presigned access to the tenant's own stores."],
  objectCredentials: ['Object credentials', "Access to the tenant's own S3-compatible stores."],
  objectResources: ['Object resources', 'What may be presigned: the policies of presigned access.'],
  callbackEndpoints: [
    'Callback endpoints',
    'Where a later delivery service sends events. The platform delivers nothing.',
  ],
  callbackSubscriptions: ['Callback subscriptions', 'Which events an endpoint gets.'],
  me: ['Me', 'The calling credential.'],
};

const successDescriptions: Record<string, string> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted and persisted, or accepted before. It does not mean that the device executed it.',
};

const successHeaders: Record<string, HeaderName[]> = {
  'commands.create': ['Idempotent-Replayed', 'Idempotency-Mismatch'],
  'credentials.list': ['Link', 'X-Next-Cursor'],
};

/** The OpenAPI description of the whole contract, as openapi.json holds it. */
export function buildOpenApi() {
  const { paths } = generateOpenApi(
    contract,
    { info },
    { setOperationId: 'concatenated-path', schemaTransformer: transformSchema, operationMapper: mapOperation },
  );
  const webhooks = Object.fromEntries(describedEvents.map((event) => [event.type, webhook(event)]));
  const responses = errorResponses(errorStatuses(paths));
  return {
    openapi: '3.1.1',
    info,
    servers: [{ url: 'http://127.0.0.1:8787', description: 'A platform started with npm start.' }],
    security: [Object.fromEntries(Object.keys(securitySchemes).map((name) => [name, []]))],
    tags: Object.entries(tags).map(([name, [title, description]]) => ({ name, 'x-displayName': title, description })),
    paths,
    webhooks,
    components: {
      schemas: namedSchemas({ paths, webhooks, responses }),
      responses,
      parameters,
      headers,
      securitySchemes,
    },
  };
}

export const renderOpenApi = (): string => `${JSON.stringify(buildOpenApi(), null, 2)}\n`;

function mapOperation(operation: OpenApiOperation, appRoute: unknown): OpenApiOperation {
  const route = appRoute as Operation['route'];
  const { scope, specified } = route.metadata;
  const parameters = [...(operation.parameters ?? []), { $ref: '#/components/parameters/X-Request-Id' }];
  return {
    operationId: operation.operationId,
    tags: operation.tags,
    summary: route.summary,
    description: scope ? `${route.description}\n\nNeeds the scope \`${scope}\`.` : route.description,
    'x-required-scope': scope,
    ...(specified ? {} : { 'x-addition': true }),
    parameters,
    ...('body' in route ? { requestBody: { required: true, content: jsonContent(route.body) } } : {}),
    responses: responses(operation.operationId ?? '', route),
  };
}

function responses(name: string, route: Operation['route']) {
  const statuses = Object.keys(route.responses).filter((status) => mayAnswer(route.method, Number(status)));
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      Number(status) < 400 ? successResponse(name, route, status) : errorResponseReference(Number(status)),
    ]),
  );
}

/** The contract allows every error everywhere; these cannot happen without a body, or without a change. */
function mayAnswer(method: string, status: number): boolean {
  if (method === 'GET') return ![409, 413, 415, 422].includes(status);
  if (method === 'DELETE') return ![413, 415, 422].includes(status);
  return true;
}

function successResponse(name: string, route: Operation['route'], status: string) {
  const rotated = name === 'credentials.create' && status === '200';
  return {
    description: rotated ? 'The secret was rotated.' : successDescriptions[status],
    headers: headerReferences(successHeaders[name]),
    content: jsonContent(route.responses[Number(status)]),
  };
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

function errorStatuses(paths: object): number[] {
  const operations = Object.values(paths).flatMap((path: object) => Object.values(path) as OpenApiOperation[]);
  const statuses = new Set(operations.flatMap((operation) => Object.keys(operation.responses).map(Number)));
  return [...statuses].filter((status) => status >= 400).sort();
}
