/** The long form of slots.full.test.ts. */
process.env.SLOT_EVENTS = '100000';
await import('./slots.full.test.js');

export {};
