import type { DeviceRequest } from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { addResource } from '../input/add-operation.js';
import { interruptible } from '../interruptible.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';

const view: View<DeviceRequest> = {
  id: (request) => request.device_request_id,
  columns: ['device_request_id', 'device_id', 'request_type', 'status', 'received_at'],
};

export function addDeviceRequests(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'deviceRequests');

  add('list', {
    description: 'Lists device requests, newest first.',
    fields: {
      wait_seconds: { description: 'Wait up to this many seconds, 0 to 30, until the list has an item. Default: 0.' },
    },
    view,
    call: ({ client, input }) => client.deviceRequests.list(input),
  });
  add('list', {
    as: 'follow',
    summary: 'Follow the device requests that wait for a reply.',
    description:
      'Prints a line for each PENDING device request, oldest first, until you stop it. It continues after outages of the platform.',
    isEndless: true,
    only: ['vendor', 'device_id', 'request_type'],
    examples: ['topctl device-requests follow --vendor vendor_a -o ndjson'],
    run: async ({ client, input }) => {
      await interruptible(invocation.context, async (signal) => {
        for await (const request of client.deviceRequests.follow({ ...input, signal })) {
          const { received_at, device_request_id, vendor, device_id, request_type } = request;
          await invocation.printLine(request, [received_at, device_request_id, vendor, device_id, request_type], view);
        }
      });
    },
  });
  add('get', {
    description: 'Shows a device request and its reply.',
    view,
    call: ({ client, path }) => client.deviceRequests.get(path.request_id),
  });
  add('reply', {
    fields: { error: null },
    flags: {
      error_code: { kind: 'text', description: 'With outcome ERROR: machine-readable code. Requires --error-message.' },
      error_message: {
        kind: 'text',
        description: 'With outcome ERROR: human-readable explanation. Requires --error-code.',
      },
    },
    check: ({ error_code, error_message }) =>
      (error_code === undefined) === (error_message === undefined)
        ? undefined
        : '--error-code and --error-message need each other',
    view,
    call: ({ client, path, input: { error_code: code, error_message: message, ...reply } }) => {
      const error = code === undefined || message === undefined ? undefined : { code, message };
      return client.deviceRequests.reply(path.request_id, { ...reply, error });
    },
  });
}
