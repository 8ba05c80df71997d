import type { Dispatcher, fetch as undiciFetch } from 'undici';
import { expectTypeOf, test } from 'vitest';
import type { Operations } from './api.gen.js';
import type { Sender } from './core/send.js';
import type {
  ApiPromise,
  Command,
  EventData,
  HistoryEntry,
  ListedEvent,
  PagePromise,
  PlatformEvent,
  Role,
  Tenant,
  TenantOpenPlatform,
} from './index.js';
import * as sdk from './index.js';

/** Compiled by `pnpm check:types`, never run: each line marked @ts-expect-error must not compile. */
declare const client: TenantOpenPlatform;
declare const sender: Sender;

test('answers have names, which editors show', () => {
  expectTypeOf<ReturnType<typeof client.commands.get>>().toEqualTypeOf<ApiPromise<Command>>();
  expectTypeOf<ReturnType<typeof client.tenants.list>>().toEqualTypeOf<PagePromise<Tenant>>();
  expectTypeOf<Command['history']>().toEqualTypeOf<HistoryEntry[]>();
  expectTypeOf<PlatformEvent['data']>().toEqualTypeOf<EventData>();
  expectTypeOf<ListedEvent>().toExtend<PlatformEvent>();
});

test('enums are closed in requests', () => {
  void (() => [
    // @ts-expect-error SUCESS is misspelt.
    client.deviceRequests.reply('id', { outcome: 'SUCESS' }),
    // @ts-expect-error ACEPTED is misspelt.
    client.commands.list({ status: 'ACEPTED' }),
    // @ts-expect-error ACEPTED is misspelt.
    client.commands.list({ status: ['DISPATCHED', 'ACEPTED'] }),
    client.commands.list({ status: ['DISPATCHED', 'ACCEPTED'], is_final: false }),
    client.deviceRequests.reply('id', { outcome: 'SUCCESS' }),
  ]);
});

test('enums are open in answers, including nullable ones and those in arrays', () => {
  expectTypeOf<'SOMETHING_NEW'>().toExtend<Command['status']>();
  expectTypeOf<'SOMETHING_NEW'>().toExtend<NonNullable<Command['late_result']>['adapter_status']>();
  expectTypeOf<'open:something:new'>().toExtend<Role['scopes'][number]>();
});

test('a method is tied to the types of its operation', () => {
  void (() => {
    // @ts-expect-error tenants.create answers a tenant.
    const wrongAnswer: ApiPromise<Command> = sender.call('tenants.create', { body: { tenant_id: 'a', name: 'A' } });
    return [
      wrongAnswer,
      // @ts-expect-error There is no such operation.
      sender.call('tenants.destroy', {}),
      // @ts-expect-error The path has one parameter.
      sender.call('tenants.get', { path: [] }),
      // @ts-expect-error A body needs its required fields.
      sender.call('tenants.create', { body: { name: 'A' } }),
      // @ts-expect-error Only lists have pages.
      sender.list('tenants.get', { path: ['a'] }),
    ];
  });
  expectTypeOf<Operations['commands.get']['request']>().toExtend<{ path: [string] }>();
});

test('a code narrows the error, and so does its name', () => {
  void ((error: unknown) => {
    if (sdk.isApiError(error, 'FORBIDDEN')) {
      expectTypeOf(error.code).toEqualTypeOf<'FORBIDDEN'>();
      expectTypeOf(error.metadata.required_scope).toEqualTypeOf<string | undefined>();
    }
    if (!sdk.isTenantOpenPlatformError(error)) return;
    if (error.name === 'ObjectStoreError') expectTypeOf(error).toEqualTypeOf<sdk.ObjectStoreError>();
    if (error.name === 'IdempotencyMismatchError') expectTypeOf(error.fields).toEqualTypeOf<readonly string[]>();
  });
});

test('the fetch of undici fits, also with a dispatcher', () => {
  expectTypeOf<typeof undiciFetch>().toExtend<sdk.Fetch>();
  void ((dispatcher: Dispatcher, send: typeof undiciFetch) =>
    ((url, init) => send(url, { ...init, dispatcher })) satisfies sdk.Fetch);
});

test('the fetch of the runtime fits', () => {
  expectTypeOf<typeof fetch>().toExtend<sdk.Fetch>();
});
