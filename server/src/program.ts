import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { inspect } from 'node:util';
import { type Config, platformVersion, readConfig } from './config.js';
import { baseUrlOf, openStorage, simulatesDevices } from './engines.js';
import { startupProblem } from './foundation/database/startup-problem.js';
import { StartupError } from './foundation/startup-error.js';
import { createLogger, serializeError } from './foundation/telemetry/logger.js';
import { writeCellMap } from './operator/cell-map.js';
import { declareRestored } from './operator/declare-restored.js';
import { runKeys } from './operator/keys.js';
import { migrateDatabase } from './operator/migrate-database.js';
import { moveTenant } from './operator/move-tenant/move-tenant.js';
import { bootstrapAdministrator, bootstrapOptions, demoTenantId } from './operator/platform-administrator.js';
import { republishOutbox } from './operator/republish-outbox.js';
import { type Server, start, stopAndExit } from './start.js';
import { PROCESS_NAME, runSupervised, supervise } from './supervise.js';

const USAGE = `Usage: tenant-open-platform [command]

(no command)                        run the platform
bootstrap-admin [--recover] [--file <file>]
                                    create a platform administrator; print its profile, or write it to a new file
outbox republish --since <RFC 3339> [--tenant <tenant_id>]
                                    publish again what was lost on NATS
migrate [--plan | --grant-to <role>]
                                    apply missing migrations; or print them; or also let a role serve
declare-restored                    after a restore that Postgres does not show: begin a new generation
move-tenant <tenant_id> --to-url <url> [--switch <command>] [--plan] | --undo
                                    move a tenant to another platform
cell-map --upstream <name> --file <file>
                                    write the client ids of this platform for nginx in front of several
keys status                         print how many secrets each master key seals
keys rewrap                         seal every secret with the primary master key, while nodes serve
--help, --version

The exit code 9 means: done, except what is named.
Environment variables configure it, such as PORT (8787), DATA_DIR (./data), DATABASE_URL and NATS_URL.
A running platform explains all of them at /docs/configuration.`;

const exit = (signal: NodeJS.Signals) => process.exit(signal === 'SIGINT' ? 130 : 143);
let onSignal: (signal: NodeJS.Signals) => void = exit;

/** What starts the platform, and how its users call topctl there. */
export type Host = {
  topctl: string;
  /** Saves the first credentials as profiles of topctl. Returns which are saved, and what the user should know. */
  saveProfiles?: (baseUrl: string, directory: string) => Promise<{ saved: string[]; notes: string[] }>;
};

/** Runs the command of these arguments. A problem ends the process. */
export function runProgram(args: string[], host: Host): void {
  main(args, host).catch((error: unknown) => {
    console.error(explain(error).message);
    process.exit(1);
  });
}

async function main(args: string[], host: Host): Promise<void> {
  const [command, ...flags] = args;
  const name = process.env[PROCESS_NAME];
  if (name) return runSupervised(name, explain);
  // At once: process 1 of a container ignores a signal without a handler.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => onSignal(signal));
  if (command === undefined) return serve(readConfig(process.env), host);
  if (command === '--help' || command === '-h') return console.log(USAGE);
  if (command === '--version') return console.log(platformVersion);
  if (command === 'bootstrap-admin') return createAdministrator(readConfig(process.env), flags);
  // The keyring is not needed, and the owner of the tables need not have it.
  if (command === 'migrate') return migrateDatabase(process.env.DATABASE_URL, flags);
  if (command === 'declare-restored' && flags.length === 0)
    return console.log(await declareRestored(readConfig(process.env)));
  if (command === 'keys') return runKeys(readConfig(process.env), flags);
  if (command === 'outbox' && flags[0] === 'republish') {
    return console.log(await republishOutbox(readConfig(process.env), flags.slice(1)));
  }
  if (command === 'cell-map') return console.log(await writeCellMap(readConfig(process.env), flags));
  if (command === 'move-tenant') return console.log(await moveTenant(readConfig(process.env), process.env, flags));
  throw new StartupError(`Unknown command ${args.join(' ')}. ${USAGE}`);
}

async function serve(config: Config, host: Host): Promise<void> {
  const logger = createLogger(config.LOG_LEVEL);
  const server = await (config.WORKERS > 1 ? supervise(config, logger) : start(config, logger));
  if (config.MODE === 'development' && !isLoopback(config.HOST)) logger.warn(reachableInDevelopment(config.HOST));
  if (config.MODE === 'development') console.log(await welcome(server, config, host));
  logger.info({ base_url: server.baseUrl }, 'ready');

  onSignal = (signal) => {
    onSignal = exit;
    logger.info({ signal }, 'stopping');
    stopAndExit(server, logger);
  };
  process.send?.({ type: 'ready', base_url: server.baseUrl });
}

const isLoopback = (host: string) => /^(127\.|::1$|localhost$)/.test(host);

const reachableInDevelopment = (host: string) =>
  `HOST ${host} lets other machines in while MODE is development: requests and answers, secrets of new credentials included, are not encrypted. Set HOST to 127.0.0.1, or put a proxy with TLS in front.`;

async function welcome({ baseUrl, probesUrl, isFirstStart }: Server, config: Config, host: Host): Promise<string> {
  const relative = path.relative(process.cwd(), config.DATA_DIR) || '.';
  const directory = relative.startsWith('..') ? path.resolve(config.DATA_DIR) : relative;
  const lines = [
    '',
    `Tenant Open Platform is ready: ${baseUrl}`,
    `  ├─ API            ${baseUrl}/api/v1`,
    ...(config.REFERENCE_PAGE ? [`  ├─ reference      ${baseUrl}/docs`] : []),
    ...(config.CONSOLE ? [`  ├─ console        ${baseUrl}/console`] : []),
    `  ├─ OpenAPI        ${baseUrl}/openapi.json`,
    `  ├─ AsyncAPI       ${baseUrl}/asyncapi.json`,
    `  ├─ health         ${probesUrl}/livez  ${probesUrl}/readyz`,
    `  └─ metrics        ${probesUrl}/metrics`,
    '',
  ];
  if (isFirstStart) {
    lines.push(
      'First start. These files hold the secrets of the first credentials; nobody else can read them:',
      `  ${directory}/platform-admin.json  administers every tenant`,
      `  ${directory}/demo.json            sends commands in tenant ${demoTenantId(config.CELL)}`,
      '',
    );
  }
  const { saved, notes } = (await host.saveProfiles?.(baseUrl, config.DATA_DIR)) ?? { saved: [], notes: [] };
  if (notes.length > 0) lines.push(...notes, '');
  const demo = await readFile(path.join(config.DATA_DIR, 'demo.json'), 'utf8').catch(() => null);
  if (!simulatesDevices(config)) {
    const page = config.REFERENCE_PAGE ? `${baseUrl}/docs/first-device` : 'docs/first-device.md';
    lines.push(`No devices are simulated. To connect your own: ${page}`, '');
  }
  if (simulatesDevices(config) && demo) {
    // The profile keeps the address of the first start.
    const address = demo.includes(`"${baseUrl}"`) ? '' : ` --base-url ${baseUrl}`;
    const profile = saved.includes('demo') ? '--profile demo' : `--profile-file ${directory}/demo.json${address}`;
    const topctl = `${host.topctl} ${profile}`;
    lines.push(
      'Send a first command, wait for its outcome, and see its events, in another terminal:',
      `  ${topctl} commands create --vendor vendor_a --device-id ok-1 --command-type reboot --wait`,
      `  ${topctl} events list`,
      '',
    );
  }
  return lines.join('\n');
}

async function createAdministrator(config: Config, flags: string[]): Promise<void> {
  const options = bootstrapOptions(flags);
  const { database, keyring } = await openStorage(config);
  try {
    const baseUrl = baseUrlOf(config, config.PORT);
    const profile = await bootstrapAdministrator({ database, keyring, baseUrl, cell: config.CELL }, options);
    console.log(options.file ?? JSON.stringify(profile, null, 2));
  } finally {
    await database.close();
  }
}

/** One line for a problem that an operator can solve; the full error for a defect of the platform. */
function explain(error: unknown): StartupError {
  if (error instanceof StartupError) return error;
  const { DATABASE_URL } = process.env;
  const known = DATABASE_URL ? startupProblem(error, DATABASE_URL) : null;
  return known ?? new StartupError(inspect(serializeError(error)));
}
