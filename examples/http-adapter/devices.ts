import {
  type CommandHandler,
  type CommandMessage,
  Failed,
  Rejected,
  Unreachable,
} from '@tenant-open-platform/sdk/adapter';
import { type Action, aborted, isEnd, startAction, type VendorApi } from './vendor-api.js';

/** Carries out commands through the vendor's API. `outcomeOf` resolves with the webhook that ends the action. */
export const carryOutWith =
  (api: VendorApi, outcomeOf: (command: CommandMessage, forMs: number) => Promise<Action>): CommandHandler =>
  async (command, context) => {
    const { signal, progress } = context;
    const ended = new AbortController();
    const untilEnded = AbortSignal.any([signal, ended.signal]);
    // Before the call: a webhook can be faster than the answer.
    const reported = outcomeOf(command, context.remainingMs);
    const answered = startAction(api, command, context, untilEnded).then((action) => {
      if (isEnd(action)) return action;
      void progress('IN_PROGRESS');
      return aborted(untilEnded);
    });
    const { state, result, error } = await Promise.race([reported, answered]).finally(() => ended.abort());
    if (state === 'done') return result;
    if (state === 'offline') throw new Unreachable();
    // It is the device that fails or refuses, not the adapter.
    void progress('DELIVERED');
    if (state === 'refused') throw new Rejected(error?.code ?? 'REFUSED', error?.message ?? 'The device refused.');
    throw new Failed(error?.code ?? 'FAILED', error?.message ?? 'The device failed.');
  };
