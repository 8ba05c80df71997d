import fc from 'fast-check';

/** What strangers write beside an outcome. */
const decoration = fc.oneof(
  fc.json({ maxDepth: 3, stringUnit: 'binary' }),
  fc.double().map((value) => value.toPrecision(17)),
  fc.bigInt().map(String),
  fc.constantFrom('NaN', '-0.0', 'null', '"\\u0000"', "{'a':1}", '"\\ud800"', 'undefined', '0x1F', '"\n"'),
  fc.constantFrom(
    '{"a":[1,}',
    '[1,}',
    '{"a":1]',
    '{"a":1]}',
    '[{"a":1]',
    '[{"a":1]}',
    '{"a":[{"b":1]}}',
    '{"a":1}}',
    '[1]]',
  ),
);
const adapterStatus = fc.oneof(decoration, fc.constantFrom('"DELIVERED"', '"FAILED"', '"TIMED_OUT"', '"SENT"', '"ok"'));

const name = fc.constantFrom('result', 'status_reason', 'progress', 'occurred_at', 'more', '', 'adapter status');
const member = fc.tuple(name, decoration);
const members = fc.array(member, { maxLength: 4 });
/** Two of them would say nothing about the command. */
const adapterMembers = fc.array(fc.tuple(fc.constant('adapter_status'), adapterStatus), { maxLength: 1 });

/** Updates with the outcome, which is a text without brackets, among other fields. */
export const decoratedUpdates = (outcome: string) =>
  fc
    .tuple(members, members, adapterMembers, fc.boolean(), fc.constantFrom(', ', ',', ',\n'))
    .map(([before, after, adapter, isFirst, comma]) => {
      const of = (some: [string, string][]) => some.map(([name, text]) => `${JSON.stringify(name)}: ${text}`);
      const first = [...before, ...(isFirst ? adapter : [])];
      const last = [...(isFirst ? [] : adapter), ...after];
      return `{${[...of(first), outcome, ...of(last)].join(comma)}}`;
    });

/** SEED=… repeats a run. */
export function printedSeed(): number {
  const seed = Number(process.env.SEED ?? Math.trunc(Math.random() * 2 ** 31));
  console.log(`SEED=${seed}`);
  return seed;
}
