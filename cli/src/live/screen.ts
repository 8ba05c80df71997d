import type { Context } from '../context.js';
import { CancelledError } from '../errors.js';
import { interruptible } from '../interruptible.js';

/** Another screen, without a cursor. Lines are cut: one that wraps would take two of its lines. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
/** To the upper left corner; the rest of a line, and the rest of the screen. */
const HOME = '\u001b[H';
const REST_OF_LINE = '\u001b[K';
const REST_OF_SCREEN = '\u001b[J';
const CTRL_C = '\u0003';

type Live = {
  frame: (signal: AbortSignal) => Promise<string>;
  /** Resolves when the next frame is due. */
  changed: (signal: AbortSignal) => Promise<void>;
};

/** Draws frames until the user types q or Ctrl-C, and leaves the terminal as it was. Without a terminal: one frame. */
export async function showLive(context: Context, { frame, changed }: Live): Promise<void> {
  const { stdin, stdout } = context;
  if (!stdout.isTTY || !stdin.isTTY) {
    stdout.write(await frame(new AbortController().signal));
    return;
  }
  const quit = new AbortController();
  const onKey = (keys: Buffer | string) => {
    for (const key of String(keys)) {
      if (key === 'q' || key === 'Q') quit.abort();
      if (key === CTRL_C) quit.abort(new CancelledError('cancelled'));
    }
  };
  stdin.on('data', onKey);
  stdin.setRawMode?.(true);
  stdin.resume();
  stdout.write(ENTER);
  try {
    await interruptible(context, async (interrupted) => {
      const signal = AbortSignal.any([quit.signal, interrupted]);
      while (!signal.aborted) {
        const lines = (await frame(signal)).split('\n').slice(0, stdout.rows || 24);
        stdout.write(`${HOME}${lines.map((line) => `${line}${REST_OF_LINE}`).join('\r\n')}${REST_OF_SCREEN}`);
        await changed(signal);
      }
    });
  } catch (error) {
    // A request that q has ended is no failure.
    if (!quit.signal.aborted) throw error;
  } finally {
    stdin.off('data', onKey);
    stdin.setRawMode?.(false);
    stdin.pause();
    stdout.write(LEAVE);
  }
  if (quit.signal.reason instanceof CancelledError) throw quit.signal.reason;
}
