import { openAsBlob } from 'node:fs';
import fs from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { createProgram } from '../src/app.js';
import { Invocation } from '../src/invocation.js';
import { topctl } from './topctl.js';

/** The path of every command without subcommands: `['tenants', 'create']`. */
export function commandPaths(): string[][] {
  return leaves(program());
}

export function commandAt(path: readonly string[]): Command {
  let command = program();
  for (const name of path) {
    const child = command.commands.find((candidate) => candidate.name() === name);
    if (!child) throw new Error(`there is no command ${path.join(' ')}`);
    command = child;
  }
  return command;
}

/** The help of topctl and of every command, one after the other. */
export async function completeHelp(): Promise<string> {
  const pages: string[] = [];
  for (const path of [[], ...commandPaths()]) {
    const { stdout } = await topctl([...path, '--help']);
    pages.push(`$ ${['topctl', ...path, '--help'].join(' ')}\n${stdout}`);
  }
  return pages.join('\n');
}

function program(): Command {
  const stream = new PassThrough();
  const streams = { stdin: stream, stdout: stream, stderr: stream };
  const world = {
    env: {},
    cwd: '',
    ...streams,
    fs,
    openAsBlob,
    openInBrowser: async () => false,
    fetch,
    signals: process,
  };
  return createProgram(new Invocation({ argv: [], ...world }));
}

function leaves(command: Command, path: string[] = []): string[][] {
  if (command.commands.length === 0) return [path];
  return command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
}
