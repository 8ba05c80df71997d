import { readFile, rename, writeFile } from 'node:fs/promises';

/** What NATS knows of a durable, as far as a process can tell. Times are those of NATS, in milliseconds. */
export interface Reading {
  /** The server of the connection: another id after each start of it. */
  server: string | undefined;
  leader: string | undefined;
  createdAt: number;
  begunAt: number;
  forgottenUntil: number;
}

/** What a process leaves to the next one when it stops. */
export interface HandOver {
  reading: Reading;
  /** Commands that it gave back and that nobody can have begun: how often NATS had delivered each. */
  givenBack: Record<string, number>;
}

/**
 * Undefined if there is none that can be read. It may be read twice: it counts only for commands that NATS has not delivered
 * since, and as long as the server has not been started again.
 */
export async function readHandOver(file: string): Promise<HandOver | undefined> {
  try {
    const { reading, givenBack } = JSON.parse(await readFile(file, 'utf8')) as HandOver;
    return typeof reading.begunAt === 'number' && typeof givenBack === 'object' ? { reading, givenBack } : undefined;
  } catch {
    return undefined;
  }
}

export async function writeHandOver(file: string, handOver: HandOver): Promise<void> {
  await writeFile(`${file}.part`, JSON.stringify(handOver), { mode: 0o600 });
  await rename(`${file}.part`, file);
}
