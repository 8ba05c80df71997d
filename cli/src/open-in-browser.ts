import { spawn } from 'node:child_process';

/** The program that opens a URL, and its arguments before the URL. */
const openers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Whether a browser was started. */
export function openInBrowser(url: string): Promise<boolean> {
  const [program, ...first] = openers[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...first, url], { stdio: 'ignore', detached: true });
  child.unref();
  return new Promise((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
  });
}
