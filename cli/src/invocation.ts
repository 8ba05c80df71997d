import type { Command } from 'commander';
import { type Context, canAsk } from './context.js';
import { CancelledError, UsageError } from './errors.js';
import type { Attempt } from './failure/attempt.js';
import { askWhether } from './input/ask.js';
import { messageLines } from './output/message.js';
import { pathTo, valueAt } from './output/pick-fields.js';
import { printable } from './output/printable.js';
import {
  type Look,
  type OutputFormat,
  type Page,
  renderItem,
  renderItems,
  renderWhole,
  type View,
} from './output/render.js';
import { renderLine } from './output/table.js';
import { holdBack } from './session/hold-back.js';
import { resolveProfile } from './session/profile.js';
import { meAtOnce, openSession, type Session, type SessionFlags } from './session/session.js';

export type GlobalFlags = SessionFlags & {
  tenant?: string;
  output?: OutputFormat;
  fields?: string[];
  yes?: true;
  dryRun?: true;
  printCurl?: true;
};

/** One run of a command: everything that a command needs besides its own flags. */
export class Invocation {
  flags: GlobalFlags = {};
  session: Session | undefined;
  /** The call that the command makes, for the message about its failure. */
  attempt: Attempt | undefined;
  /** The value of --idempotency-key, if the operation takes it as a header. */
  idempotencyKey: string | undefined;
  /** How to repeat the call that failed, by its key. A command that makes several calls replaces it. */
  howToRepeat = (key: string) => `--idempotency-key ${key}`;
  /** Whether something was left out that the command could not take: it ends with 9. */
  hasLeftOut = false;
  private command: Command | undefined;

  constructor(readonly context: Context) {}

  begin(flags: GlobalFlags, command: Command): void {
    this.flags = flags;
    this.command = command;
  }

  get format(): OutputFormat {
    return this.flags.output ?? (this.context.stdout.isTTY ? 'table' : 'json');
  }

  private get look(): Look {
    return { format: this.format, fields: this.flags.fields };
  }

  async connect(): Promise<Session> {
    this.session = await openSession(this.context, this.flags, (send) =>
      withKey(this.idempotencyKey, holdBack(this.context, this.flags, send)),
    );
    // A printed command cannot correct its timestamp. This answer corrects the clock that signs it.
    if (this.flags.printCurl) await meAtOnce(this.session.client);
    return this.session;
  }

  /** For operations that always act on the tenant of the credential. A different --tenant is refused, not ignored. */
  async connectToOwnTenant(): Promise<Session> {
    const { tenant } = this.flags;
    const session = await this.connect();
    if (tenant === undefined) return session;
    const own = await session.tenant();
    if (tenant === own) return session;
    throw this.usageError(`this command acts on the tenant of your credential, ${own}; --tenant cannot change that`);
  }

  /** The tenant to act on: --tenant, or the tenant of the credential. */
  async tenantOf(session: Session): Promise<string> {
    return this.flags.tenant ?? (await session.tenant());
  }

  /** The caller and the tenant of a command, as far as they are known before a request. */
  async actor(): Promise<{ clientId: string; tenant: string }> {
    const { client_id, tenant_id } = await resolveProfile(this.context, this.flags);
    return { clientId: client_id, tenant: this.flags.tenant ?? tenant_id ?? '(your own)' };
  }

  /** Whether no question is needed: the user said yes beforehand, or nothing will be changed. */
  get isConfirmed(): boolean {
    const { yes, dryRun, printCurl } = this.flags;
    return Boolean(yes || dryRun || printCurl);
  }

  /** Continues only if the user confirms. Without a terminal, only --yes confirms. */
  async confirm(question: string): Promise<void> {
    if (this.isConfirmed) return;
    if (!canAsk(this.context)) throw this.unconfirmed(question);
    if (!(await askWhether(this.context, printable(question)))) throw new CancelledError('nothing was changed');
  }

  async printItem<Item extends object>(item: Item, view: View<Item>): Promise<void> {
    this.refuseUnknownFields(Object.keys(item), item);
    this.context.stdout.write(await renderItem(this.context, this.look, item, view));
  }

  /** Prints the items of a page. Formats with one line per item print each item as it arrives. */
  async printItems<Item extends object>(
    items: AsyncIterable<Item> | Iterable<Item>,
    view: View<Item>,
    { limit, all }: Page,
  ): Promise<void> {
    const { context, format, look } = this;
    const kept: Item[] = [];
    let count = 0;
    for await (const item of items) {
      if (count === 0) this.refuseUnknownFields(Object.keys(item), item);
      if (format === 'id' || format === 'ndjson') context.stdout.write(await renderItem(context, look, item, view));
      else kept.push(item);
      count += 1;
      if (!all && count === limit) break;
    }
    if (format !== 'id' && format !== 'ndjson') {
      const text = await renderItems(context, look, kept, view);
      context.stdout.write(text);
      if (format === 'table' && context.stdout.isTTY && text.includes('…')) {
        this.note(
          'Shortened for the terminal. Commands accept the ends of ids. -o json prints every field whole, -o id whole ids. --fields chooses the columns.',
        );
      }
    }
    if (count === 0 && format === 'table') this.note('No items.');
    if (!all && count === limit) this.note(`Printed the first ${limit}; more may follow. Use --limit N or --all.`);
  }

  /** Prints an item of an endless list at once. A table would have to know all items before it prints the first. */
  async printLine<Item extends object>(item: Item, cells: readonly unknown[], view: View<Item>): Promise<void> {
    const { context, format, look } = this;
    this.refuseUnknownFields(Object.keys(item), item);
    const { fields } = look;
    const isTable = format === 'table';
    const shown = fields ? fields.map((path) => valueAt(item, path)) : cells;
    const text = isTable
      ? `${renderLine(context, shown)}\n`
      : await renderItem(context, { format: format === 'id' ? 'id' : 'ndjson', fields }, item, view);
    context.stdout.write(text);
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
    const { context, format, look } = this;
    if (format === 'json' || format === 'yaml') context.stdout.write(await renderWhole(look, whole));
    else await this.printItems(items, view, { limit: items.length, all: true });
  }

  /** A misspelled field must not look like an empty one. */
  refuseUnknownFields(known: readonly string[], item: object = {}): void {
    const unknown = this.flags.fields?.find((path) => !known.includes(path.split('.')[0] ?? ''));
    if (unknown === undefined) return;
    const path = pathTo(item, unknown);
    const others = path ? `; use ${path}` : `; there are ${known.join(', ')}`;
    throw this.usageError(`--fields ${unknown}: there is no such field${others}`);
  }

  note(text: string): void {
    this.context.stderr.write(`${messageLines(this.context.stderr, text)}\n`);
  }

  /** Says what the command cannot take, and why. It goes on. */
  leaveOut(what: string): void {
    this.hasLeftOut = true;
    this.note(printable(`Left out ${what}`));
  }

  /** The refusal of an action that only --yes confirms. `missing`: the other flags that are missing. */
  unconfirmed(question: string, missing: readonly string[] = []): UsageError {
    const answered = missing.length === 0 ? `\n  --yes confirms: ${printable(question)}` : '';
    return this.usageError(`missing ${[...missing, '--yes'].join(', ')}${answered}`);
  }

  usageError(problem: string): UsageError {
    const { command } = this;
    return new UsageError(command ? `${problem}\nUsage: ${command.createHelp().commandUsage(command)}` : problem);
  }
}

/** Replaces the key that the client has generated. No signature covers it. */
function withKey(key: string | undefined, send: typeof fetch): typeof fetch {
  if (key === undefined) return send;
  return (input, init) => {
    const headers = { ...(init?.headers as Record<string, string>) };
    return send(
      input,
      'Idempotency-Key' in headers ? { ...init, headers: { ...headers, 'Idempotency-Key': key } } : init,
    );
  };
}
