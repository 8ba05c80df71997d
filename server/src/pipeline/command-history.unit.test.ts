import { AdapterStatus, CommandStatus, DeviceExecutionStatus } from '@tenant-open-platform/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linesOf, readHistory, toLine } from './command-history.js';

const entry = fc.record({
  source: fc.constantFrom('PLATFORM', 'ADAPTER', 'DEVICE'),
  status: fc.constantFrom(...CommandStatus.options),
  adapter_status: fc.constantFrom(...AdapterStatus.options),
  device_execution_status: fc.constantFrom(...DeviceExecutionStatus.options),
  reason: fc.option(
    fc.record({
      code: fc.string(),
      message: fc.string({
        unit: fc.oneof(
          fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
          fc.constantFrom('\u2028', '\r', '\n', '}', '1'),
        ),
      }),
    }),
  ),
  elapsedMs: fc.nat(),
});

test('what is read of a history is what was written', () => {
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const history = entries.map((kept) => `${toLine(kept)}${kept.elapsedMs}\n`).join('');
      expect(linesOf(history)).toEqual(entries);
    }),
  );
});

test('an entry without a reason takes as many bytes as its digits and five more', () => {
  const acceptedAt = new Date('2026-11-30T20:00:00.000Z');
  const history = 'CBCB95\nCCCC812\n';
  const shown = { source: 'DEVICE', adapter_status: 'DELIVERED', reason: null } as const;
  expect(readHistory({ history, acceptedAt })).toEqual([
    { ...shown, at: '2026-11-30T20:00:00.095Z', status: 'DISPATCHED', device_execution_status: 'IN_PROGRESS' },
    { ...shown, at: '2026-11-30T20:00:00.812Z', status: 'SUCCEEDED', device_execution_status: 'SUCCEEDED' },
  ]);
});
