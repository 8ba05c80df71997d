import type { SignatureHeaders } from '@tenant-open-platform/sdk/sign';
import type { Command } from 'commander';
import { readStdinBytes } from '../context.js';
import { addExamples } from '../input/examples.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';
import { resolveProfile } from '../session/profile.js';

const view: View<SignatureHeaders> = {
  id: (headers) => headers['X-Api-Signature'],
  columns: ['X-Api-Id', 'X-Api-Timestamp', 'X-Api-Nonce', 'X-Api-Signature'],
};

const lineNames = ['algorithm', 'method', 'target', 'client_id', 'timestamp', 'nonce', 'SHA-256 of the body'];

export function addSign(program: Command, invocation: Invocation): void {
  addExamples(program.command('sign'), ['topctl sign GET /api/v1/open/me --explain'])
    .summary('Sign a request without sending it.')
    .description(
      'Prints the four headers that sign a request. They are accepted once, within five minutes. To compare them with headers that your own code signed, give the --timestamp and --nonce of your code.',
    )
    .argument('<method>', 'GET, POST, PUT or DELETE.')
    .argument('<target>', 'The path with its query, from /api/v1 on.')
    .option('--body <text>', 'The body exactly as it will be sent, or - for stdin. Default: none.')
    .option('--timestamp <seconds>', 'Unix time. Default: now.')
    .option('--nonce <text>', 'Default: a random one.')
    .option('--explain', 'Also print the seven lines that are signed, on stderr.')
    .action(async (method: string, target: string, options: Options) => {
      const { context } = invocation;
      const { client_id: clientId, secret } = await resolveProfile(context, invocation.flags);
      const { body, timestamp, nonce } = options;
      const bytes = body === '-' ? await readStdinBytes(context) : body;
      const { explain } = await import('@tenant-open-platform/sdk/sign');
      const request = { clientId, secret, method, target, body: bytes, timestamp, nonce };
      const { headers, stringToSign } = await explain(request).catch((error: Error) => {
        throw invocation.usageError(error.message);
      });
      await invocation.printItem(headers, view);
      if (!options.explain) return;
      const lines = stringToSign.split('\n').map((line, index) => `  ${lineNames[index]?.padEnd(20)} ${line}`);
      invocation.note(['Signed are these lines, each but the last with a line feed behind it:', ...lines].join('\n'));
      invocation.note(
        'The signature is v1= and the HMAC-SHA-256 of them in hexadecimal digits, with the whole secret.',
      );
    });
}

type Options = { body?: string; timestamp?: string; nonce?: string; explain?: true };
