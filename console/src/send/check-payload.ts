import type { Check } from '@tenant-open-platform/contract/payload-schema';

/** What this page finds wrong in a payload, in the platform's words. The platform decides. */
export type Fault = ReturnType<Check>[number];

export type CheckPayload = (payload: unknown) => Fault[];

/** Schemas that the catalog has answered, each compiled once. */
const compiled = new WeakMap<object, Promise<CheckPayload>>();

/** Checks as the platform does, with its own code. A schema that only a later platform can read finds nothing. */
export function checkerOf(schema: Record<string, unknown>): Promise<CheckPayload> {
  const known = compiled.get(schema);
  if (known) return known;
  const checker = compile(schema).catch(() => () => []);
  compiled.set(schema, checker);
  return checker;
}

async function compile(schema: Record<string, unknown>): Promise<CheckPayload> {
  const { compileSchema } = await import('@tenant-open-platform/contract/payload-schema');
  const check = await compileSchema(schema);
  return (payload) => check(payload, 'payload');
}
