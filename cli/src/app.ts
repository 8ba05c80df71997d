import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { addAccess } from './commands/access.js';
import { addApi } from './commands/api.js';
import { addApply } from './commands/apply.js';
import { addAuditEvents } from './commands/audit-events.js';
import { addBus } from './commands/bus.js';
import { addBusPrincipals } from './commands/bus-principals.js';
import { addCallbackEndpoints } from './commands/callback-endpoints.js';
import { addCallbackSubscriptions } from './commands/callback-subscriptions.js';
import { addCatalog } from './commands/catalog.js';
import { addCommandTypes } from './commands/command-types.js';
import { addCommands } from './commands/commands.js';
import { addCredentials } from './commands/credentials.js';
import { addDeviceRequests } from './commands/device-requests.js';
import { addDoctor } from './commands/doctor.js';
import { addEvents } from './commands/events.js';
import { addExport } from './commands/export.js';
import { addInit } from './commands/init.js';
import { addLogin } from './commands/login.js';
import { addMe, addWhoami } from './commands/me.js';
import { addObjectCredentials } from './commands/object-credentials.js';
import { addObjectResources } from './commands/object-resources.js';
import { addObjects } from './commands/objects.js';
import { addOpen } from './commands/open.js';
import { addParkedMessages } from './commands/parked-messages.js';
import { addPlatform } from './commands/platform.js';
import { addPolicies } from './commands/policies.js';
import { addProfile } from './commands/profile.js';
import { addRoleBindings } from './commands/role-bindings.js';
import { addRoles } from './commands/roles.js';
import { addSign } from './commands/sign.js';
import { addTenants } from './commands/tenants.js';
import { addTop } from './commands/top.js';
import { addVendors } from './commands/vendors.js';
import { addCompletion } from './completion/completion.js';
import type { Context } from './context.js';
import { type ExitCode, exitCodes } from './exit-code.js';
import { Invocation } from './invocation.js';
import { messageLines } from './output/message.js';
import { outputFormats } from './output/render.js';
import { wrap } from './output/text-width.js';
import { whileWritable } from './output/written.js';
import { withoutSeeds } from './secrets/nkey-seed.js';
import { platformVersion } from './session/session.js';

/** Runs one command line. It reads and writes only through its context. */
export async function run(context: Context): Promise<ExitCode> {
  const invocation = new Invocation(context);
  const program = createProgram(invocation);
  try {
    await whileWritable(context, async () => {
      addCompletion(context, program);
      await program.parseAsync(argvOf(context, program), { from: 'user' });
    });
    return invocation.hasLeftOut ? 9 : 0;
  } catch (error) {
    if (error instanceof CommanderError && error.code === 'commander.version') await notePlatform(invocation, program);
    // Commander has already printed its message. Help and version have the exit code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { reportFailure } = await import('./failure/report-failure.js');
    return reportFailure(invocation, error);
  }
}

/** `topctl help commands create` is `topctl commands create --help`. A group refuses a command that it does not have. */
function argvOf({ argv }: Context, program: Command): readonly string[] {
  if (argv[0] !== 'help') return argv;
  const path: string[] = [];
  let command = program;
  for (const name of argv.slice(1)) {
    const next = command.commands.find((each) => each.name() === name);
    // Never the arguments of a command: it would run.
    if (!next) return command.commands.length > 0 && !name.startsWith('-') ? [...path, name] : [...path, '--help'];
    path.push(name);
    command = next;
  }
  return [...path, '--help'];
}

export function createProgram(invocation: Invocation) {
  const { context } = invocation;
  const program = new Command('topctl')
    .description('The command line of the Tenant Open Platform.')
    .version(packageJson.version, '--version', 'Print the version.')
    .helpOption('-h, --help', 'Print this help.')
    .helpCommand(false)
    .option('--profile-file <path>', 'JSON file {base_url, tenant_id, client_id, secret}; also TOP_PROFILE_FILE.')
    .option('--profile <name>', 'Profile that "topctl login" saved; also TOP_PROFILE.')
    .option('--base-url <url>', 'URL of the platform, instead of the URL in the profile; also TOP_BASE_URL.')
    .option('--tenant <tenant_id>', 'Tenant to act on, instead of the tenant of the profile.')
    .addOption(
      new Option('-o, --output <format>', 'Default: table on a terminal, json elsewhere.').choices(outputFormats),
    )
    .addOption(
      new Option('--fields <a,b.c>', 'Print only these fields: of a table, JSON, YAML or NDJSON.').argParser((text) =>
        text.split(','),
      ),
    )
    .option('--dry-run', 'Print the first request that would change something, instead of sending it.')
    .option(
      '--print-curl',
      'Print the first request that would change something as a signed curl command, instead of sending it.',
    )
    .addOption(
      new Option('--timeout <seconds>', 'Time limit of a call and its retries, in seconds. Default: 60.').argParser(
        secondsOf,
      ),
    )
    .option('-v, --verbose', 'Print every request with its outcome, duration and request id on stderr.')
    .option('-y, --yes', 'Do not ask before an action that is hard to undo.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(messageLines(context.stderr, withoutSeeds(text))),
      getOutHelpWidth: () => helpWidthOf(context.stdout),
      getErrHelpWidth: () => helpWidthOf(context.stderr),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 20 })
    .showSuggestionAfterError()
    .showHelpAfterError('Add --help to see the commands and flags.')
    .addHelpText('after', programNotes);
  for (const add of additions) add(program, invocation);
  program.hook('preAction', (_, command) => invocation.begin(program.opts(), command));
  return program;
}

/** For people: the version of the platform, if there is a profile and the platform answers at once. */
async function notePlatform(invocation: Invocation, program: Command): Promise<void> {
  if (!invocation.context.stdout.isTTY) return;
  invocation.flags = program.opts();
  const session = await invocation.connect().catch(() => undefined);
  const version = session && (await platformVersion(session.client));
  if (version) invocation.note(`platform ${version} at ${session.client.baseUrl}`);
}

/** Wide lines are hard to read. */
const helpWidthOf = ({ isTTY, columns }: Context['stdout']) => (isTTY ? Math.min(columns || 80, 100) : 80);

function secondsOf(text: string): number {
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number of seconds, at least 1.');
}

/** Every command, in the order of the help. */
const additions = [
  addInit,
  addLogin,
  addProfile,
  addWhoami,
  addDoctor,
  addTop,
  addOpen,
  addSign,
  addApi,
  addApply,
  addExport,
  addTenants,
  addCredentials,
  addRoles,
  addRoleBindings,
  addPolicies,
  addAccess,
  addBusPrincipals,
  addBus,
  addAuditEvents,
  addParkedMessages,
  addPlatform,
  addVendors,
  addCommandTypes,
  addCommands,
  addEvents,
  addDeviceRequests,
  addCatalog,
  addObjects,
  addObjectCredentials,
  addObjectResources,
  addCallbackEndpoints,
  addCallbackSubscriptions,
  addMe,
];

const programNotes = `
topctl takes the credential from the first of these that is set:
  1. --profile-file or --profile
  2. TOP_BASE_URL, TOP_CLIENT_ID and TOP_SECRET
  3. TOP_PROFILE_FILE or TOP_PROFILE
  4. the saved profile that "topctl profile use" chose, or "default"

HTTPS_PROXY, HTTP_PROXY and NO_PROXY are used. A CA of your own: ca_file in the
profile (topctl login --ca-file), TOP_CA_FILE or NODE_EXTRA_CA_CERTS.

Data goes to stdout, everything else to stderr. NO_COLOR turns colours off.

Exit codes:
${Object.entries(exitCodes)
  .map(([code, meaning]) => `  ${code.padEnd(4)} ${wrap(meaning, 73).join(`\n${' '.repeat(7)}`)}`)
  .join('\n')}

Tab completion:
  topctl completion zsh|bash|fish    prints the script
  source <(topctl completion bash)   in bash, turns it on

First steps:
  topctl --profile-file data/demo.json whoami
  topctl --profile-file data/demo.json commands create --vendor vendor_a \\
    --device-id ok-1 --command-type reboot --wait`;
