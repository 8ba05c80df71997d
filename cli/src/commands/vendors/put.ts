import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { vendorView } from '../../views.js';

export function vendorsPut(group: Group, invocation: Invocation): void {
  group
    .command('put')
    .description("Put a vendor into the platform's catalog, or enable or disable it there.")
    .argument('<vendor>', 'the vendor')
    .addOption(
      new Option(
        '--enabled <boolean>',
        'whether commands for its devices are accepted, from the next one on (required)',
      ).choices(['true', 'false']),
    )
    .action(async (vendor, flags) => {
      const given = await invocation.fillIn(flags, ['enabled'], { confirmed: flags.enabled !== 'false' });
      const enabled = given.enabled === 'true';
      const { client } = await invocation.connect();
      if (!enabled) await invocation.confirm(`Disable the vendor ${vendor}, for every tenant?`);
      await invocation.printItem(await client.vendors.put(vendor, { enabled }), vendorView);
    });
}
