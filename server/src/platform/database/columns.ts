import { customType, timestamp } from 'drizzle-orm/pg-core';

/** Milliseconds, as answers show them: what is stored is what was said. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

/** The values of a text column: those of an enum of the contract. */
export const oneOf = <Value extends string>({ options }: { options: Value[] }) => options as [Value, ...Value[]];

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
