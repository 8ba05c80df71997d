import { Command, CommanderError, Option } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { addApi } from './commands/api.js';
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
import { addLogin } from './commands/login.js';
import { addMe, addWhoami } from './commands/me.js';
import { addObjectCredentials } from './commands/object-credentials.js';
import { addObjectResources } from './commands/object-resources.js';
import { addObjects } from './commands/objects.js';
import { addParkedMessages } from './commands/parked-messages.js';
import { addPolicies } from './commands/policies.js';
import { addRoleBindings } from './commands/role-bindings.js';
import { addRoles } from './commands/roles.js';
import { addSign } from './commands/sign.js';
import { addTenants } from './commands/tenants.js';
import { addVendors } from './commands/vendors.js';
import { addCompletion } from './completion.js';
import type { Context } from './context.js';
import { type ExitCode, exitCodes } from './exit-code.js';
import { reportFailure } from './failure.js';
import { Invocation } from './invocation.js';
import { outputFormats } from './output/render.js';
import { withoutSeeds } from './secrets/nkey-seed.js';

/** Runs one command line. It reads and writes only through its context. */
export async function run(context: Context): Promise<ExitCode> {
  const invocation = new Invocation(context);
  try {
    const program = createProgram(invocation);
    await addCompletion(context, program);
    await program.parseAsync(context.argv, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has already printed its message. Help and version have the exit code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return reportFailure(context, error, invocation.session);
  }
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
    .option('--dry-run', 'Show the first request that would change something. Send no such request.')
    .option('--print-curl', 'Print that request as a signed curl command. Send no such request.')
    .option('-y, --yes', 'Do not ask before an action that is hard to undo.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.write(text),
      writeErr: (text) => context.stderr.write(withoutSeeds(text)),
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
    .showHelpAfterError('Add --help to see the commands and flags.')
    .addHelpText('after', programNotes);
  for (const add of additions) add(program, invocation);
  program.hook('preAction', (_, command) => invocation.begin(program.opts(), command));
  return program;
}

/** Every command, in the order of the help. */
const additions = [
  addLogin,
  addWhoami,
  addDoctor,
  addSign,
  addApi,
  addTenants,
  addCredentials,
  addRoles,
  addRoleBindings,
  addPolicies,
  addBusPrincipals,
  addBus,
  addAuditEvents,
  addParkedMessages,
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
  4. the saved profile "default"

Data goes to stdout, everything else to stderr. NO_COLOR turns colours off.

Exit codes:
${Object.entries(exitCodes)
  .map(([code, meaning]) => `  ${code.padEnd(4)} ${meaning}`)
  .join('\n')}

Tab completion:
  topctl completion zsh|bash|fish    prints the script; for bash: source <(topctl completion bash)

First steps:
  topctl --profile-file data/demo.json whoami
  topctl --profile-file data/demo.json commands create --vendor vendor_a --device-id ok-1 --command-type reboot --wait`;
