import type { Command } from 'commander';
import { type Context, canAsk } from './context.js';
import { CancelledError, UsageError } from './errors.js';
import { askWhether } from './input/ask.js';
import { type OutputFormat, type Page, renderItem, renderItems, renderWhole, type View } from './output/render.js';
import { holdBack } from './session/hold-back.js';
import type { ProfileFlags } from './session/profile.js';
import { openSession, type Session } from './session/session.js';

export type GlobalFlags = ProfileFlags & {
  tenant?: string;
  output?: OutputFormat;
  yes?: true;
  dryRun?: true;
  printCurl?: true;
};

/** One run of a command: everything that a command needs besides its own flags. */
export class Invocation {
  flags: GlobalFlags = {};
  session: Session | undefined;
  private command: Command | undefined;

  constructor(readonly context: Context) {}

  begin(flags: GlobalFlags, command: Command): void {
    this.flags = flags;
    this.command = command;
  }

  get format(): OutputFormat {
    return this.flags.output ?? (this.context.stdout.isTTY ? 'table' : 'json');
  }

  async connect(): Promise<Session> {
    this.session = await openSession(this.context, this.flags, (send) => holdBack(this.context, this.flags, send));
    return this.session;
  }

  /** For operations that always act on the tenant of the credential. A different --tenant is refused, not ignored. */
  async connectToOwnTenant(): Promise<Session> {
    const { tenant } = this.flags;
    const session = await this.connect();
    if (tenant === undefined) return session;
    const own = session.profile.tenant_id ?? (await session.client.me.get()).tenant_id;
    if (tenant === own) return session;
    throw this.usageError(`this command acts on the tenant of your credential, ${own}; --tenant cannot change that`);
  }

  /** The tenant to act on: --tenant, or the tenant of the credential. */
  async tenantOf({ profile, client }: Session): Promise<string> {
    return this.flags.tenant ?? profile.tenant_id ?? (await client.me.get()).tenant_id;
  }

  /** Whether no question is needed: the user said yes beforehand, or nothing will be changed. */
  get isConfirmed(): boolean {
    const { yes, dryRun, printCurl } = this.flags;
    return Boolean(yes || dryRun || printCurl);
  }

  /** Continues only if the user confirms. Without a terminal, only --yes confirms. */
  async confirm(question: string): Promise<void> {
    if (this.isConfirmed) return;
    if (!canAsk(this.context)) throw this.usageError('missing --yes');
    if (!(await askWhether(this.context, question))) throw new CancelledError('nothing was changed');
  }

  async printItem<Item extends object>(item: Item, view: View<Item>): Promise<void> {
    this.context.stdout.write(await renderItem(this.context, this.format, item, view));
  }

  /** Prints the items of a page. Formats with one line per item print each item as it arrives. */
  async printItems<Item extends object>(
    items: AsyncIterable<Item> | Iterable<Item>,
    view: View<Item>,
    { limit, all }: Page,
  ): Promise<void> {
    const { context, format } = this;
    const kept: Item[] = [];
    let count = 0;
    for await (const item of items) {
      if (format === 'id' || format === 'ndjson') context.stdout.write(await renderItem(context, format, item, view));
      else kept.push(item);
      count += 1;
      if (!all && count === limit) break;
    }
    if (format !== 'id' && format !== 'ndjson') {
      context.stdout.write(await renderItems(context, format, kept, view));
    }
    if (count === 0 && format === 'table') this.note('No items.');
    if (!all && count === limit) this.note(`Printed the first ${limit}; more may follow. Use --limit N or --all.`);
  }

  /**
   * Prints a resource that contains a list: the whole resource in machine-readable formats, the items of the list in a
   * table.
   */
  async printWhole<Whole extends object, Item extends object>(
    whole: Whole,
    items: Item[],
    view: View<Item>,
  ): Promise<void> {
    const { context, format } = this;
    if (format === 'json' || format === 'yaml') context.stdout.write(await renderWhole(format, whole));
    else await this.printItems(items, view, { limit: items.length, all: true });
  }

  note(text: string): void {
    this.context.stderr.write(`${text}\n`);
  }

  usageError(problem: string): UsageError {
    const { command } = this;
    return new UsageError(command ? `${problem}\nUsage: ${command.createHelp().commandUsage(command)}` : problem);
  }
}
