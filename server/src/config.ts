import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { StartupError } from './foundation/startup-error.js';
import { isDatabaseUrl } from './foundation/urls.js';

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^[0-9]{1,10}$/, 'must be an integer in decimal digits')
    .transform(Number)
    .pipe(z.number().min(min).max(max));

/** As a browser sends it: scheme, host, and a port if it is not the default one. */
const isOrigin = (text: string) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** The password in compose.yaml. */
const TRIAL_PASSWORD = /^postgres(ql)?:\/\/[^/@]*:only-for-a-trial@/;

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

const Config = z
  .object({
    PORT: integer(0, 65_535).prefault('8787'),
    HOST: z.string().min(1).default('127.0.0.1'),
    /** Absent: probes and metrics share the address of the API. */
    PROBES_PORT: integer(0, 65_535).optional(),
    /** Absent: HOST. */
    PROBES_HOST: z.string().min(1).optional(),
    MAX_CONNECTIONS: integer(10, 1_000_000).prefault('10000'),
    /** Absent: a quarter of MAX_CONNECTIONS. */
    MAX_CONNECTIONS_PER_ADDRESS: integer(1, 1_000_000).optional(),
    /** development: embedded database, generated keyring, first credentials. */
    DATA_DIR: z.string().min(1).default('./data'),
    /** Of several platforms: ids of the first start end in it. */
    CELL: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,19}$/, 'must be 1 to 20 of the characters a-z 0-9 -, and not begin with -')
      .optional(),
    /** Absent: the embedded database. */
    DATABASE_URL: z
      .string()
      .refine(
        isDatabaseUrl,
        'must be a postgres:// URL; separate several hosts (names or IPv4 addresses) by commas, and percent-encode / ? # @ : % in its password',
      )
      .optional(),
    DATABASE_POOL_SIZE: integer(2, 500).prefault('10'),
    /** Absent: a bus within this process. */
    NATS_URL: z
      .string()
      .refine(
        (urls) =>
          urls.split(',').every((url) => /^(nats|tls):\/\/[^/?#]+\/?$/.test(url.trim()) && URL.canParse(url.trim())),
        'must be nats:// or tls:// URLs, separated by commas; percent-encode / ? # @ : % , in a password',
      )
      .optional(),
    NATS_CREDS_FILE: z.string().min(1).optional(),
    NATS_NKEY_SEED_FILE: z.string().min(1).optional(),
    /** The copies of each stream. Absent: three on a cluster. */
    NATS_REPLICAS: integer(1, 5).optional(),
    /** Absent: on in development without NATS_URL. */
    SIMULATED_FLEET: flag.optional(),
    MODE: z.enum(['development', 'production']).default('development'),
    /** What a process does: answer requests, be a worker, or both. */
    ROLE: z.enum(['all', 'api', 'worker']).default('all'),
    /** Processes that answer requests; above 1 they share PORT, and one more is the worker. */
    WORKERS: integer(1, 64).prefault('1'),
    KEYRING_FILE: z.string().min(1).optional(),
    KEYRING: z.string().min(1).optional(),
    /** A program of the shell that prints the keyring. */
    KEYRING_COMMAND: z.string().min(1).optional(),
    /** A path prefix that a proxy does not remove from /api/v1. It is not signed. */
    BASE_PATH: z
      .string()
      .regex(/^(\/[A-Za-z0-9._~-]+)+$/, 'must be like /platform, without trailing slash')
      .optional(),
    /** Origins whose pages may call the API, separated by commas. Absent: none. */
    CORS_ORIGINS: z
      .string()
      .transform((origins) => origins.split(','))
      .refine(
        (origins) => origins.every(isOrigin),
        'must be origins such as https://docs.example.com, separated by commas, in lower case and without a path; * is none',
      )
      .default([]),
    /** Whether /docs serves the reference page. */
    REFERENCE_PAGE: flag.prefault('true'),
    /** Whether /console serves the console. Absent: where MODE is development. */
    CONSOLE: flag.optional(),
    LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    /** How many proxies in front are trusted to set X-Forwarded-For. */
    TRUST_PROXY: integer(0, 10).prefault('0'),
    /** Bounded so that a batch of 256 payloads still fits a V8 string. */
    BODY_LIMIT_BYTES: integer(1_024, 1_048_576).prefault('65536'),
    PAYLOAD_LIMIT_BYTES: integer(256, 1_048_576).prefault('32768'),
    REQUESTS_PER_MINUTE: integer(1, 1_000_000_000).prefault('6000'),
    /** Absent: ten times REQUESTS_PER_MINUTE. */
    REQUESTS_PER_MINUTE_PER_TENANT: integer(1, 1_000_000_000).optional(),
    /** How many requests with wait_seconds may wait at the same time. */
    WAITING_REQUESTS_PER_TENANT: integer(1, 100_000).prefault('500'),
    FAILED_AUTHENTICATIONS_PER_MINUTE: integer(1, 1_000_000_000).prefault('300'),
    /** What the tenant's own changes may add to the audit log and the stored answers. */
    CHANGE_BYTES_PER_DAY_PER_TENANT: integer(65_536, 9_999_999_999).prefault('67108864'),
    CREDENTIALS_PER_TENANT: integer(1, 1_000_000).prefault('1000'),
    ROLES_PER_TENANT: integer(1, 1_000_000).prefault('100'),
    ROLE_BINDINGS_PER_TENANT: integer(1, 1_000_000).prefault('5000'),
    POLICIES_PER_TENANT: integer(1, 1_000_000).prefault('5000'),
    BUS_PRINCIPALS_PER_TENANT: integer(1, 1_000_000).prefault('200'),
    CALLBACK_ENDPOINTS_PER_TENANT: integer(1, 10_000).prefault('50'),
    CALLBACK_SUBSCRIPTIONS_PER_TENANT: integer(1, 20_000).prefault('100'),
    OBJECT_CREDENTIALS_PER_TENANT: integer(1, 1_000_000).prefault('50'),
    OBJECT_RESOURCES_PER_TENANT: integer(1, 1_000_000).prefault('200'),
    TENANTS_PER_PLATFORM: integer(1, 1_000_000).prefault('10000'),
    VENDORS_PER_PLATFORM: integer(1, 100_000).prefault('1000'),
    COMMAND_TYPES_PER_PLATFORM: integer(1, 1_000_000).prefault('10000'),
    /** Absent: commands are kept forever. */
    COMMAND_RETENTION_DAYS: integer(1, 3_650).optional(),
    /** At least as long as an adapter's message may stay on the bus: until then its dedupe_id must be known. */
    DEVICE_REQUEST_RETENTION_DAYS: integer(8, 3_650).prefault('90'),
    /** At least the minimum that the database enforces. */
    AUDIT_EVENT_RETENTION_DAYS: integer(90, 3_650).prefault('400'),
    /** At least as long as a presigned URL may be valid. */
    OBJECT_GRANT_RETENTION_DAYS: integer(8, 3_650).prefault('90'),
    PARKED_MESSAGE_RETENTION_DAYS: integer(1, 3_650).prefault('30'),
    /** Whether the endpoint of an object credential may be http. */
    ALLOW_INSECURE_OBJECT_ENDPOINTS: flag.prefault('false'),
  })
  .superRefine(
    (config, context) => {
      const { MODE, ROLE, WORKERS, DATABASE_URL, KEYRING, KEYRING_FILE, KEYRING_COMMAND } = config;
      const keyrings = [KEYRING, KEYRING_FILE, KEYRING_COMMAND].filter((from) => from !== undefined);
      const addProblem = (variable: keyof typeof config, message: string) =>
        context.addIssue({ code: 'custom', path: [variable], message });
      if (MODE === 'production') {
        if (!DATABASE_URL) addProblem('DATABASE_URL', 'is required where MODE is production');
        if (TRIAL_PASSWORD.test(DATABASE_URL ?? ''))
          addProblem(
            'DATABASE_URL',
            'has the password of a trial, which everybody can read in compose.yaml: where MODE is production, set DATABASE_PASSWORD in .env to one of your own',
          );
        if (!config.NATS_URL)
          addProblem('NATS_URL', 'is required where MODE is production: without it commands cannot reach an adapter');
        if (config.SIMULATED_FLEET)
          addProblem(
            'SIMULATED_FLEET',
            'must not be true where MODE is production: it answers for devices that do not exist',
          );
      }
      if (config.PROBES_HOST !== undefined && config.PROBES_PORT === undefined)
        addProblem('PROBES_PORT', 'is required with PROBES_HOST');
      if (config.NATS_CREDS_FILE && config.NATS_NKEY_SEED_FILE)
        addProblem('NATS_NKEY_SEED_FILE', 'and NATS_CREDS_FILE exclude each other');
      if (ROLE !== 'all' && !DATABASE_URL)
        addProblem('ROLE', 'must be all without DATABASE_URL: the embedded database has one process');
      if (WORKERS !== 1 && !DATABASE_URL)
        addProblem('WORKERS', 'must be 1 without DATABASE_URL: the embedded database has one process');
      if (WORKERS !== 1 && ROLE === 'worker')
        addProblem('WORKERS', 'must be 1 where ROLE is worker: these processes answer requests');
      if (DATABASE_URL && keyrings.length === 0)
        addProblem(
          'KEYRING_FILE',
          'or KEYRING_COMMAND or KEYRING is required with DATABASE_URL: the key that seals secrets must outlive this machine',
        );
      if (keyrings.length > 1) addProblem('KEYRING_FILE', ', KEYRING_COMMAND and KEYRING exclude each other');
    },
    // Also if a single variable is wrong: the error shows all problems at once.
    { when: () => true },
  )
  .transform((config) => {
    const {
      MAX_CONNECTIONS_PER_ADDRESS = Math.floor(config.MAX_CONNECTIONS / 4),
      REQUESTS_PER_MINUTE_PER_TENANT = 10 * config.REQUESTS_PER_MINUTE,
      CONSOLE = config.MODE === 'development',
    } = config;
    return { ...config, MAX_CONNECTIONS_PER_ADDRESS, REQUESTS_PER_MINUTE_PER_TENANT, CONSOLE };
  });

export type Config = z.infer<typeof Config>;

/** Reads the configuration. The error names every wrong variable at once, and no value. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Config.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  throw new StartupError(`Configuration: ${problems.join('; ')}`);
}

/** Read and not imported: a bundle would keep the version of its build. src and dist are equally deep. */
const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
export const platformVersion: string = JSON.parse(manifest).version;
