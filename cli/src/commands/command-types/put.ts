import { Option } from '@commander-js/extra-typings';
import type { Group } from '../../commands.js';
import type { Invocation } from '../../invocation.js';
import { readJsonObject } from '../../json-object.js';
import { commandTypeView } from '../../views.js';

export function commandTypesPut(group: Group, invocation: Invocation): void {
  group
    .command('put')
    .description(
      "Put a command type into the platform's catalog, or change it there. What is not given stays as it is.",
    )
    .argument('<vendor>', 'the vendor')
    .argument('<command_type>', 'the command type')
    .addOption(
      new Option(
        '--enabled <boolean>',
        'whether commands of this type are accepted, from the next one on; a new one is enabled unless given',
      ).choices(['true', 'false']),
    )
    .option('--description <text>', 'what the command does; a new one needs it')
    .option(
      '--payload-schema <json|@file|->',
      'the JSON Schema 2020-12 of its payload, a file of it, or - for stdin; a new one needs it',
    )
    .action(async (vendor, commandType, flags) => {
      if (Object.keys(flags).length === 0) throw invocation.usageError('give at least one flag to change');
      const disabling = flags.enabled === 'false';
      invocation.requireConfirmable(disabling);
      const payloadSchema =
        flags.payloadSchema === undefined
          ? undefined
          : await readJsonObject(invocation.context, '--payload-schema', flags.payloadSchema);
      const { client } = await invocation.connect();
      if (disabling)
        await invocation.confirm(`Disable the command type ${commandType} of ${vendor}, for every tenant?`);
      const body = {
        enabled: flags.enabled === undefined ? undefined : !disabling,
        description: flags.description,
        payload_schema: payloadSchema,
      };
      await invocation.printItem(await client.commandTypes.put(vendor, commandType, body), commandTypeView);
    });
}
