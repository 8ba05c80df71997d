import type { Command } from 'commander';
import { addExamples } from '../input/examples.js';
import type { Invocation } from '../invocation.js';

type Options = { file?: string[]; secretsDir?: string; prune?: true; pruneAll?: true; schema?: true };

const examples = [
  'topctl apply -f platform --dry-run',
  'topctl apply -f platform --secrets-dir secrets',
  'topctl apply -f platform/tenants/acme.yaml --prune',
  'topctl apply --schema',
];

const each = (path: string, before: string[] = []) => [...before, path];

export function addApply(program: Command, invocation: Invocation): void {
  addExamples(program.command('apply'), examples)
    .summary('Make the platform as files say: catalog, tenants, access.')
    .description(
      `Compares files in YAML or JSON with the platform, shows a plan, asks, and carries it out (with --dry-run, it only shows the plan): vendors, command types, tenants, roles, credentials, role bindings, policies, bus principals, callback endpoints and subscriptions, object credentials and resources. It changes only fields that a file gives, and stops at the first refusal; a repetition does the rest. "topctl export" writes such files.

New secrets go to --secrets-dir. Callback endpoints and object configuration of a tenant need a credential of that tenant: your own, or a profile in --secrets-dir/<tenant_id>/.

Scopes: the ones of the operations in the plan. The role platform_admin has all of them.`,
    )
    .option(
      '-f, --file <path>',
      'A file, - for stdin, or a folder with all .yaml, .yml and .json files below it. May be repeated. (required)',
      each,
    )
    .option(
      '--secrets-dir <path>',
      'The folder for new secrets, each in a new file (0600). It is not among the files that are applied.',
    )
    .option(
      '--prune',
      'Disable what a list in the files no longer names. A list that no file has stays as it is, and so do whole vendors and tenants.',
    )
    .option('--prune-all', 'Like --prune. Also disable vendors and tenants that no file names.')
    .option('--schema', 'Print the JSON Schema of the files, for editors, and do nothing else.')
    .action(async ({ file, secretsDir, prune, pruneAll, schema }: Options) => {
      const { context, flags } = invocation;
      if (!schema && !file) throw invocation.usageError('missing --file');
      if (flags.printCurl)
        throw invocation.usageError('--print-curl shows one request, and apply sends many: use --dry-run');
      if (flags.tenant !== undefined)
        throw invocation.usageError('the files name the tenants: --tenant has no effect here');
      const { apply, configurationSchema } = await import('../configuration/apply.js');
      if (schema) {
        context.stdout.write(`${JSON.stringify(configurationSchema(), null, 2)}\n`);
        return;
      }
      await apply(invocation, {
        file: file ?? [],
        secretsDir,
        prune: { inside: prune === true, wholes: pruneAll === true },
      });
    });
}
