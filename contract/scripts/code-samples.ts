import { resources } from '../src/resources.js';

type Parameter = { name: string; in: string; required?: boolean; example?: unknown };

/** An operation with the examples that its samples send. */
export type SampledOperation = {
  name: string;
  method: string;
  path: string;
  parameters: readonly Parameter[];
  body: object | undefined;
  responses: Responses;
};

type Responses = Record<string, { headers?: object }>;

/** The answer may tell that the key belongs to another command. */
export const hasMismatch = ({ responses }: { responses: Responses }) =>
  Object.values(responses).some(({ headers = {} }) => 'Idempotency-Mismatch' in headers);

/** The same request by the SDK, by topctl, in a shell and in Python, as `x-codeSamples` of the operation. */
export function codeSamples(operation: SampledOperation) {
  return [
    { lang: 'TypeScript', label: 'SDK', source: sdkSample(operation) },
    { lang: 'Shell', label: 'topctl', source: topctlSample(operation) },
    { lang: 'Shell', label: 'curl and openssl', source: curlSample(operation) },
    { lang: 'Python', label: 'Python', source: pythonSample(operation) },
  ];
}

const inPath = ({ parameters }: SampledOperation) => parameters.filter((parameter) => parameter.in === 'path');

const queryOf = ({ parameters }: SampledOperation): object | undefined => {
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  return required.length > 0 ? Object.fromEntries(required.map(({ name, example }) => [name, example])) : undefined;
};

/** The SDK takes any number of commands, and topctl reads them from a file. */
const isMany = ({ name }: SampledOperation) => name === 'commands.createMany';

function sdkSample(operation: SampledOperation): string {
  const body = isMany(operation) ? (operation.body as { commands: object[] }).commands : operation.body;
  const values = [...inPath(operation).map(({ example }) => example), queryOf(operation) ?? body];
  const given = values.filter((value) => value !== undefined).map((value) => JSON.stringify(value, null, 2));
  const call = `client.${operation.name}(${given
    .join(', ')
    .replace(/^(\s+)"(\w+)":/gm, '$1$2:')
    .replaceAll('"', "'")})`;
  const use = operation.parameters.some(({ name }) => name === 'cursor')
    ? `for await (const item of ${call}) console.log(item);`
    : `console.log(await ${call});`;
  return `import { TenantOpenPlatform } from '@tenant-open-platform/sdk';

const client = new TenantOpenPlatform(); // TOP_BASE_URL, TOP_CLIENT_ID, TOP_SECRET
${use}
`;
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function topctlSample(operation: SampledOperation): string {
  const [resource = '', verb = ''] = operation.name.split('.');
  if (!(resource in resources)) throw new Error(`${resource} is no resource`);
  const ids = inPath(operation);
  const isTenant = ({ name }: Parameter) => name === 'tenant_id' && resource !== 'tenants';
  const words = ids.filter((id) => !isTenant(id)).map(({ example }) => String(example));
  const tenant = ids.filter(isTenant).map(({ example }) => `--tenant ${example}`);
  const body = isMany(operation) ? { from: 'commands.ndjson' } : operation.body;
  const flags = Object.entries({ ...queryOf(operation), ...body }).flatMap(([name, value]) => flagsOf(name, value));
  return ['topctl', kebab(resource), kebab(verb), ...words, ...tenant, ...flags].join(' ');
}

/** Secrets are read from files: every user of a machine can read the arguments of its processes. */
const secrets = ['secret_access_key', 'session_token'];

function flagsOf(name: string, value: unknown): string[] {
  const flag = `--${name.replaceAll('_', '-')}`;
  if (secrets.includes(name)) return [`${flag}-file ${name}.txt`];
  if (value === null) return [`${flag} none`];
  if (typeof value === 'object' && !Array.isArray(value)) return [`${flag} '${toJson(value)}'`];
  const text = String(value);
  return [`${flag} ${/^[\w.,:/-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`}`];
}

function targetOf(operation: SampledOperation): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(inPath(operation).find((parameter) => parameter.name === name)?.example),
  );
  const query = Object.entries(queryOf(operation) ?? {}).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return query.length > 0 ? `${path}?${query.join('&')}` : path;
}

/** JSON that single quotes of a shell and of Python can hold. */
const toJson = (value: unknown) => JSON.stringify(value).replaceAll("'", '\\u0027');

function curlSample(operation: SampledOperation): string {
  const { body } = operation;
  const [before, option, after] = hasMismatch(operation)
    ? [
        'headers=$(mktemp)\n',
        '-D "$headers" ',
        `! grep -i '^Idempotency-Mismatch:' "$headers" >&2 # the key belongs to another command\n`,
      ]
    : ['', '', ''];
  return `# TOP_BASE_URL, TOP_CLIENT_ID and TOP_SECRET are set.
method=${operation.method} target='${targetOf(operation)}' body='${body ? toJson(body) : ''}'
timestamp=$(date +%s) nonce=$(openssl rand -hex 16)
body_sha256=$(printf %s "$body" | openssl dgst -sha256 -r | cut -c 1-64)
signature=$(printf 'HMAC-SHA256-V1\\n%s\\n%s\\n%s\\n%s\\n%s\\n%s' "$method" "$target" "$TOP_CLIENT_ID" "$timestamp" "$nonce" "$body_sha256" |
  openssl dgst -sha256 -hmac "$TOP_SECRET" -r | cut -c 1-64)
${before}curl -sS ${option}-X "$method" "$TOP_BASE_URL$target" -H "X-Api-Id: $TOP_CLIENT_ID" -H "X-Api-Timestamp: $timestamp" \\
  -H "X-Api-Nonce: $nonce" -H "X-Api-Signature: v1=$signature"${body ? ` -H 'Content-Type: application/json' -d "$body"` : ''}
${after}`;
}

const pythonSample = (
  operation: SampledOperation,
) => `import hashlib, hmac, os, ${hasMismatch(operation) ? 'sys, ' : ''}time, urllib.request, uuid

method, target = '${operation.method}', '${targetOf(operation)}'
body = r'${operation.body ? toJson(operation.body) : ''}'.encode()
client_id, timestamp, nonce = os.environ['TOP_CLIENT_ID'], str(int(time.time())), str(uuid.uuid4())
text = '\\n'.join(['HMAC-SHA256-V1', method, target, client_id, timestamp, nonce, hashlib.sha256(body).hexdigest()])
signature = hmac.new(os.environ['TOP_SECRET'].encode(), text.encode(), 'sha256').hexdigest()
headers = {'X-Api-Id': client_id, 'X-Api-Timestamp': timestamp, 'X-Api-Nonce': nonce,
           'X-Api-Signature': 'v1=' + signature, 'Content-Type': 'application/json'}
request = urllib.request.Request(os.environ['TOP_BASE_URL'] + target, data=body or None, headers=headers, method=method)
${
  hasMismatch(operation)
    ? `answer = urllib.request.urlopen(request)
if mismatch := answer.headers['Idempotency-Mismatch']:
    sys.exit(f'The key belongs to another command: {mismatch} differ.')
print(answer.read().decode())`
    : 'print(urllib.request.urlopen(request).read().decode())'
}
`;
