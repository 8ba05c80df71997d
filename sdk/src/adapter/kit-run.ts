/** So often NATS hears that a message is still in work. It delivers it again 6 seconds after the last sign of life. */
export const STILL_WORKING_MS = 2_000;
/** A handler that has not ended so long after its signal was aborted loses its place, and nobody waits for it. */
export const OVERDUE_MS = 2_000;

/** What the kit's own parts tell each other about the run of a handler, under a symbol of its context. */
export interface KitRun {
  /** The device may have got something: the handler has told progress, or has the connection of its device. */
  isBegun: boolean;
  isStopping: boolean;
  /** The process was frozen since: another one may have the command. */
  readonly isLost: boolean;
  /** Set while the handler waits for its device. */
  wake?: (() => void) | undefined;
}

export const newRun = (isLost: () => boolean): KitRun => ({
  isBegun: false,
  isStopping: false,
  get isLost() {
    return isLost();
  },
});

/** A symbol of every copy of the kit in a process. */
export const kitRun: unique symbol = Symbol.for('@tenant-open-platform/sdk/adapter/run') as never;

export const runOf = (context: object): KitRun | undefined => (context as { [kitRun]?: KitRun })[kitRun];

/** The process stops. What waits for its device goes to the next one. */
export function stopRun(run: KitRun): void {
  run.isStopping = true;
  run.wake?.();
}

const givenBack = Symbol.for('@tenant-open-platform/sdk/adapter/given-back');

/** Ends a handler that still waited for its device when the process was stopped, or had been frozen. */
export class GivenBack extends Error {
  constructor() {
    super('The command has not begun, and another process gets it: the adapter stops, or was frozen.');
    Object.defineProperty(this, givenBack, { value: true });
  }
}

export function isGivenBack(error: unknown): boolean {
  const { cause } = (error ?? {}) as { cause?: unknown };
  return [error, cause].some((one) => typeof one === 'object' && one !== null && givenBack in one);
}
