import type { Transaction } from '../foundation/database/database.js';
import { commandTypes, vendors } from '../pipeline/tables.js';

type CommandType = { description: string; properties?: object; required?: string[] };

/** The vendors of a trial, whose devices are simulated, and their command types. */
const CATALOG: Record<string, Record<string, CommandType>> = {
  vendor_a: {
    reboot: { description: 'Restarts the device.' },
    set_power: {
      description: 'Switches the device on or off.',
      properties: { power: { enum: ['on', 'off'] } },
      required: ['power'],
    },
    set_temperature: {
      description: 'Sets the target temperature.',
      properties: { celsius: { type: 'number', minimum: 5, maximum: 35 } },
      required: ['celsius'],
    },
    update_firmware: {
      description: 'Installs a firmware version.',
      properties: {
        version: { type: 'string', pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' },
        url: { type: 'string', format: 'uri', maxLength: 2_048 },
        force: { type: 'boolean' },
      },
      required: ['version'],
    },
  },
  vendor_b: {
    reboot: { description: 'Restarts the device.' },
    lock: { description: 'Locks the device.' },
    unlock: {
      description: 'Unlocks the device for a time.',
      properties: { relock_after_seconds: { type: 'integer', minimum: 1, maximum: 3_600 } },
    },
    locate: {
      description: 'Asks the device for its position.',
      properties: { accuracy: { enum: ['coarse', 'fine'] } },
    },
  },
};

/** On a new platform, which has neither vendors nor command types. */
export async function insertTrialCatalog(tx: Transaction): Promise<void> {
  const enabled = true;
  await tx.insert(vendors).values(Object.keys(CATALOG).map((vendor) => ({ vendor, enabled })));
  const rows = Object.entries(CATALOG).flatMap(([vendor, types]) =>
    Object.entries(types).map(([commandType, { description, ...rest }]) => {
      const payloadSchema = { type: 'object', ...rest, additionalProperties: false };
      return { vendor, commandType, enabled, description, payloadSchema };
    }),
  );
  await tx.insert(commandTypes).values(rows);
}
