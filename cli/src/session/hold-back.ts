import type { Context } from '../context.js';
import { messageLines } from '../output/message.js';
import { printableJson, toJson } from '../output/printable.js';

/** The code of the answer that a request gets which was shown and not sent. No platform answers it. */
export const HELD_BACK = 'HELD_BACK';

const SECRET = /secret|token|seed/;

type Flags = { dryRun?: true; printCurl?: true };

/** With --dry-run or --print-curl the first request that would change something is printed instead of sent. */
export function holdBack({ stdout, stderr }: Context, { dryRun, printCurl }: Flags, send: typeof fetch): typeof fetch {
  if (!dryRun && !printCurl) return send;
  return async (input, init) => {
    const { method = 'GET', headers, body } = init ?? {};
    if (method === 'GET') return send(input, init);
    const request = { method, url: String(input), headers: { ...(headers as Record<string, string>) } };
    const text = typeof body === 'string' ? body : undefined;
    const hasSecret = text !== undefined && withoutSecrets(text) !== JSON.stringify(JSON.parse(text));
    // The signature covers the bytes of the body, so they cannot be escaped.
    const isPrintable = text === undefined || printableJson(text) === text;
    if (printCurl && !hasSecret && isPrintable) {
      stdout.write(`${curlOf(request, text)}\n`);
      stderr.write('Nothing was sent. The command works once, within five minutes.\n');
    } else {
      const parsed = text === undefined ? undefined : JSON.parse(withoutSecrets(text));
      const shown = { method, url: request.url, body: parsed };
      stdout.write(`${toJson(shown, 2)}\n`);
      const why = ' The body holds a secret or control characters: no curl command is printed.';
      stderr.write(`${messageLines(stderr, `Nothing was sent.${printCurl ? why : ''}`)}\n`);
    }
    // A refusal ends every command, and is not tried again.
    return Response.json({ code: HELD_BACK, message: 'Nothing was sent.', request_id: HELD_BACK }, { status: 400 });
  };
}

/** The same JSON; the fields that are secrets hold three dots. */
function withoutSecrets(json: string): string {
  return JSON.stringify(
    JSON.parse(json, (name, value) => (SECRET.test(name) && typeof value === 'string' ? '…' : value)),
  );
}

function curlOf(
  { method, url, headers }: { method: string; url: string; headers: Record<string, string> },
  body?: string,
) {
  const parts = ['curl', '-X', method, quoted(url)];
  for (const [name, value] of Object.entries(headers)) parts.push('-H', quoted(`${name}: ${value}`));
  if (body !== undefined) parts.push('--data-binary', quoted(body));
  return parts.join(' ');
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
