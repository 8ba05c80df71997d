import type { PlatformState } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

const view: View<PlatformState> = {
  id: ({ outbox }) => String(outbox.waiting),
  columns: ['outbox', 'events', 'parked_messages'],
};

export function addPlatform(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'platform');

  add('get', { view, call: ({ client }) => client.platform.get() });
}
