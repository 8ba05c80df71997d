import { z } from 'zod';

/**
 * What database and bus both have, so that a database that went back shows: see docs/internals/generations.md. The
 * current generation, `id`, has reached `number`. `shared_until`: the last number of the event log that a generation
 * shares with the current one; null for that one.
 */
const Witness = z.object({
  id: z.uuid(),
  number: z.int(),
  generations: z.array(z.object({ id: z.uuid(), shared_until: z.int().nullable() })),
});
export type Witness = z.infer<typeof Witness>;

/** A text that is no witness, as after a power cut, tells nothing and is replaced. */
export function readWitness(text: string): Witness | null {
  try {
    return Witness.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
