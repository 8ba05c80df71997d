import picocolors from 'picocolors';
import type { Context } from '../context.js';

export function colorsFor({ env }: Context, stream: { isTTY?: boolean }) {
  return picocolors.createColors(stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb');
}
