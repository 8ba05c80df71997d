import type { contract } from '@tenant-open-platform/contract';
import { expectTypeOf, test } from 'vitest';
import type { CallOf, Handler } from './call.js';

type RefusedBy<Operation extends keyof typeof contract.commands> = Parameters<
  Parameters<Handler<`commands.${Operation}`>>[1]['refuse']
>[0];

test('a handler refuses only with codes that its operation declares', () => {
  expectTypeOf<RefusedBy<'cancel'>>().toEqualTypeOf<'COMMAND_NOT_CANCELABLE' | 'NOT_FOUND'>();
  expectTypeOf<RefusedBy<'get'>>().toEqualTypeOf<'NOT_FOUND'>();
  expectTypeOf<RefusedBy<'list'>>().toEqualTypeOf<'INVALID_CURSOR'>();
});

test('a function that handlers share takes the calls of operations that declare its code, and no others', () => {
  expectTypeOf<CallOf<'NOT_FOUND' | 'CREDENTIAL_DELETED'>>().toExtend<CallOf<'CREDENTIAL_DELETED'>>();
  expectTypeOf<CallOf<'NOT_FOUND'>>().not.toExtend<CallOf<'CREDENTIAL_DELETED'>>();
});
