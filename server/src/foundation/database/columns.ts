import { customType, timestamp } from 'drizzle-orm/pg-core';

/** Milliseconds, as in answers: the stored instant is exactly the one that was answered. */
export const instant = <Name extends string>(name: Name) =>
  timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

/** The values of a text column: those of an enum in the contract. */
export const oneOf = <Value extends string>({ options }: { options: Value[] }) => options as [Value, ...Value[]];

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
