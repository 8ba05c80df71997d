import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { StartupError } from '../foundation/startup-error.js';

/** Reads the arguments of a command. `wrong` explains in one line one that the command does not know. */
export function readArguments<const Options extends ParseArgsConfig>(
  options: Options,
  wrong: (problem: string) => StartupError,
) {
  try {
    return parseArgs(options);
  } catch (error) {
    throw wrong((error as Error).message.replaceAll('\n', ' '));
  }
}
