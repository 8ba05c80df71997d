import type { Command } from 'commander';
import { addExamples } from '../input/examples.js';
import type { Invocation } from '../invocation.js';

type Options = { to?: string; secretsDir?: string };

export function addExport(program: Command, invocation: Invocation): void {
  addExamples(program.command('export'), [
    'topctl export --to platform',
    'topctl export --to platform --secrets-dir secrets --tenant demo',
  ])
    .summary('Write the platform as files that apply takes.')
    .description(
      `Writes a file for each vendor and each tenant, with everything that "topctl apply" takes, in YAML, or in JSON with -o json. No file has a secret. With --tenant, or as a credential of a tenant: only that tenant.

Callback endpoints and object configuration of a tenant are read with a credential of that tenant: your own, or a profile in --secrets-dir/<tenant_id>/. Without one, topctl does not know whether there are any, and says so.

This is configuration. For all data of a DISABLED tenant, use: topctl tenants export

Scopes: the ones of the lists that it reads. The role platform_admin has all of them.`,
    )
    .option('--to <path>', 'The folder to write to. Other files in it stay. (required)')
    .option('--secrets-dir <path>', 'The folder with profiles of tenants, as "topctl apply" writes it.')
    .action(async ({ to, secretsDir }: Options) => {
      if (to === undefined) throw invocation.usageError('missing --to');
      const { exportFiles } = await import('../configuration/export.js');
      await exportFiles(invocation, { to, secretsDir });
    });
}
