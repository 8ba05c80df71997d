import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CommandContext,
  type CommandOf,
  OutcomeUnknown,
  Rejected,
  serveVendor,
} from '@tenant-open-platform/sdk/adapter';

type Commands = { update_firmware: { version: string; url: string; sha256: string } };

/** What runs on the devices. Ask your device instead. */
const versions = new Map<string, string>();
const MAX_IMAGE_BYTES = 100 * 1_024 * 1_024;
/** This device takes the image in so many blocks. */
const BLOCKS = 16;

async function carryOut(
  { device_id, payload }: CommandOf<Commands>,
  { signal, redelivered, progress }: CommandContext,
) {
  const { version, url, sha256 } = payload;
  // An earlier run may have written a part of the image.
  const NotBegun = redelivered ? OutcomeUnknown : Rejected;
  // Also if an earlier run has done it: a device is not updated twice.
  if (versions.get(device_id) === version) return { version };
  const image = await load(url, signal).catch((cause) => {
    throw new NotBegun('NO_IMAGE', 'The adapter could not load the image.', { cause });
  });
  if (createHash('sha256').update(image).digest('hex') !== sha256) {
    throw new NotBegun('WRONG_IMAGE', 'The SHA-256 of the image is another one.');
  }
  const blockBytes = Math.ceil(image.length / BLOCKS);
  for (let step = 1; step <= BLOCKS; step += 1) {
    await write(device_id, image.subarray((step - 1) * blockBytes, step * blockBytes), signal);
    void progress({ step, of: BLOCKS });
  }
  versions.set(device_id, version);
  return { version };
}

async function load(url: string, signal: AbortSignal): Promise<Buffer> {
  const answer = await fetch(url, { signal });
  // The tenant has chosen the URL: a store says how much is to come, and fetch reads no more.
  const bytes = Number(answer.headers.get('content-length'));
  if (!answer.ok || !(bytes > 0 && bytes <= MAX_IMAGE_BYTES)) throw new Error(`${answer.status}, ${bytes} bytes`);
  return Buffer.from(await answer.arrayBuffer());
}

/** Speak to your device here. This one takes a quarter of a second for a block. */
const write = (_device: string, _block: Buffer, signal: AbortSignal) => delay(250, undefined, { signal });

const adapter = await serveVendor<Commands>({
  servers: process.env.NATS_URL ?? 'nats://127.0.0.1:4222',
  seedFile: process.env.NATS_NKEY_SEED_FILE,
  tenantId: 'demo',
  vendor: 'acme_boilers',
  onePerDevice: true,
  onCommand: carryOut,
});
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void adapter.stop());
