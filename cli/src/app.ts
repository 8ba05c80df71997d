import { Command, CommanderError, Option } from '@commander-js/extra-typings';
import packageJson from '../package.json' with { type: 'json' };
import { commandGroups } from './commands.js';
import { addCompletion } from './completion.js';
import type { Context } from './context.js';
import { type ExitCode, exitCodes } from './exit-code.js';
import { reportFailure } from './failure.js';
import { Invocation } from './invocation.js';
import { withoutSeeds } from './nkey-seed.js';
import { outputFormats } from './output.js';

/** Runs one command line. It touches nothing but its context. */
export async function run(context: Context): Promise<ExitCode> {
  const invocation = new Invocation(context);
  try {
    const program = createProgram(invocation);
    await addCompletion(context, program);
    await program.parseAsync(context.argv, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has printed its own errors; the help and the version are no errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return reportFailure(context, error, invocation.session);
  }
}

export function createProgram(invocation: Invocation) {
  const { context } = invocation;
  const program = new Command('topctl')
    .description('The command line of the Tenant Open Platform.')
    .version(packageJson.version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .option('--profile-file <path>', 'JSON {base_url, tenant_id, client_id, secret} (TOP_PROFILE_FILE)')
    .option('--profile <name>', 'a profile that "topctl login" saved (TOP_PROFILE)')
    .option('--base-url <url>', 'the platform, instead of what the profile says (TOP_BASE_URL)')
    .option('--tenant <tenant_id>', "the tenant to act on, instead of the profile's own")
    .addOption(
      new Option('-o, --output <format>', 'table on a terminal and json elsewhere, unless given').choices(
        outputFormats,
      ),
    )
    .option('-y, --yes', 'do not ask before what is hard to undo')
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
    .addHelpText('after', programNotes);
  for (const { name, description, commands } of commandGroups) {
    const group = name === null ? program : program.command(name).description(description).helpCommand(false);
    for (const addCommand of commands) addCommand(group, invocation);
  }
  program.hook('preAction', (_, command) => invocation.begin(program.opts(), command));
  return program;
}

const programNotes = `
Credentials: --profile-file or --profile; else TOP_BASE_URL, TOP_CLIENT_ID and TOP_SECRET; else
TOP_PROFILE_FILE or TOP_PROFILE; else the saved profile "default".
Data goes to stdout, everything else to stderr. NO_COLOR turns colours off.

Exit codes:
${Object.entries(exitCodes)
  .map(([code, meaning]) => `  ${code.padEnd(4)} ${meaning}`)
  .join('\n')}

Completion of commands and flags by Tab:
  topctl completion zsh|bash|fish    prints the script; for bash: source <(topctl completion bash)

First steps:
  topctl --profile-file data/demo.json whoami
  topctl --profile-file data/demo.json commands create --vendor vendor_a --device-id ok-1 --command-type reboot --wait`;
