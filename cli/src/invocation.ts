import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { askChoice, askText, askWhether } from './ask.js';
import { type Context, canAsk } from './context.js';
import { CancelledError, UsageError } from './errors.js';
import { flagName } from './flags.js';
import { type OutputFormat, renderItem, renderItems, renderWhole, type View } from './output.js';
import type { ProfileFlags } from './profile.js';
import { openSession, type Session } from './session.js';

export type GlobalFlags = ProfileFlags & { tenant?: string; output?: OutputFormat; yes?: true };

type Filled<Flags, Name extends keyof Flags> = Omit<Flags, Name> & { [N in Name]-?: NonNullable<Flags[N]> };

/** One run of one command: what commands need beside their own flags. */
export class Invocation {
  flags: GlobalFlags = {};
  session: Session | undefined;
  private command: CommandUnknownOpts | undefined;

  constructor(readonly context: Context) {}

  begin(flags: GlobalFlags, command: CommandUnknownOpts): void {
    this.flags = flags;
    this.command = command;
  }

  get format(): OutputFormat {
    return this.flags.output ?? (this.context.stdout.isTTY ? 'table' : 'json');
  }

  async connect(): Promise<Session> {
    this.session = await openSession(this.context, this.flags);
    return this.session;
  }

  /** For operations that act on the credential's own tenant only: --tenant must not be silently ignored. */
  async connectToOwnTenant(): Promise<Session> {
    const { tenant } = this.flags;
    const session = await this.connect();
    if (tenant === undefined) return session;
    const own = session.profile.tenant_id ?? (await session.client.me.get()).tenant_id;
    if (tenant === own) return session;
    throw this.usageError(`this always acts on the tenant of the credential, ${own}, never on ${tenant}`);
  }

  /** The tenant to act on: --tenant, or the one that the credential belongs to. */
  async tenantOf({ profile, client }: Session): Promise<string> {
    return this.flags.tenant ?? profile.tenant_id ?? (await client.me.get()).tenant_id;
  }

  /** Asks for the required flags that are not given; without a terminal, names all of them at once. */
  async fillIn<Flags extends object, Name extends keyof Flags & string>(
    flags: Flags,
    required: readonly Name[],
    { confirmed = true } = {},
  ): Promise<Filled<Flags, Name>> {
    const missing = required.filter((name) => flags[name] === undefined);
    if (!canAsk(this.context)) {
      const names = [...missing.map(flagName), ...(confirmed || this.flags.yes ? [] : ['--yes'])];
      if (names.length > 0) throw this.usageError(`missing ${names.join(', ')}`);
    }
    const answers: Partial<Record<Name, string>> = {};
    for (const name of missing) answers[name] = await this.ask(name);
    return { ...flags, ...answers } as unknown as Filled<Flags, Name>;
  }

  /** Refuses early, before anything is read or sent, what nobody could agree to. */
  requireConfirmable(needed: boolean): void {
    if (needed && !this.flags.yes && !canAsk(this.context)) throw this.usageError('missing --yes');
  }

  /** Goes on only if the person agrees. Without a terminal, only --yes agrees. */
  async confirm(question: string): Promise<void> {
    this.requireConfirmable(true);
    if (this.flags.yes) return;
    if (!(await askWhether(this.context, question))) throw new CancelledError('nothing was changed');
  }

  async printItem<Item extends object>(item: Item, view: View<Item>): Promise<void> {
    this.context.stdout.write(await renderItem(this.context, this.format, item, view));
  }

  /** Prints at most `limit` items, or all; ids and ndjson as they arrive. */
  async printItems<Item extends object>(
    items: AsyncIterable<Item> | Iterable<Item>,
    view: View<Item>,
    { limit, all }: { limit: number; all?: true },
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
    if (count === 0 && format === 'table') this.note('nothing found');
    if (!all && count === limit) this.note(`stopped at ${limit}; there may be more: --limit N or --all`);
  }

  /** A resource that is a list inside: whole for programs, its entries for people. */
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

  private ask(flag: string): Promise<string> {
    const option = this.command?.options.find((candidate) => candidate.attributeName() === flag);
    const question = option ? `${flagName(flag)}: ${option.description.replace(' (required)', '')}` : flagName(flag);
    return option?.argChoices ? askChoice(this.context, question, option.argChoices) : askText(this.context, question);
  }

  usageError(problem: string): UsageError {
    const { command } = this;
    return new UsageError(command ? `${problem}\nUsage: ${command.createHelp().commandUsage(command)}` : problem);
  }
}
