import type { Command } from 'commander';
import { addExamples } from '../input/examples.js';
import type { Invocation } from '../invocation.js';

const COMMAND_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function addOpen(program: Command, invocation: Invocation): void {
  addExamples(program.command('open'), ['topctl open', 'topctl open reference'])
    .argument('[page]', 'console, reference, guides, or the id of a command. Default: the console if there is one.')
    .summary('Open a page of the platform in the browser.')
    .description(
      'Opens the console, the API reference or the guides of the platform in the browser. Without a terminal it prints the URL. The page asks for a credential itself: the URL contains none.',
    )
    .action(async (page: string | undefined) => {
      const { client, network } = await invocation.connect();
      const { baseUrl } = client;
      const pages = { console: `${baseUrl}/console`, reference: `${baseUrl}/docs`, guides: `${baseUrl}/docs/guides` };
      const isCommand = page !== undefined && COMMAND_ID.test(page);
      if (page !== undefined && !isCommand && !Object.hasOwn(pages, page)) {
        throw invocation.usageError(`${page} is neither ${Object.keys(pages).join(', ')} nor the id of a command`);
      }
      const hasConsole =
        (page === undefined || page === 'console' || isCommand) && (await network(pages.console)).status === 200;
      if (!hasConsole && (page === 'console' || isCommand))
        throw new Error(`the platform at ${baseUrl} has no console`);
      const url = isCommand
        ? `${pages.console}#/commands/${page}`
        : pages[(page ?? (hasConsole ? 'console' : 'reference')) as keyof typeof pages];
      const { stdout, openInBrowser } = invocation.context;
      if (stdout.isTTY && (await openInBrowser(url))) invocation.note(`opened ${url}`);
      else stdout.write(`${url}\n`);
    });
}
