import { MAX_PAGE } from '@tenant-open-platform/contract/facts';
import type { Command, TenantOpenPlatform } from '@tenant-open-platform/sdk';

/** What the heading and the plot need of a command: ten thousand whole ones would be many megabytes. */
export type Shown = Pick<
  Command,
  | 'command_id'
  | 'vendor'
  | 'device_id'
  | 'command_type'
  | 'created_by_client_id'
  | 'status'
  | 'accepted_at'
  | 'completed_at'
>;

export type Batch = { pages: BatchPage[]; hasMore: boolean };
type BatchPage = { cursor: string | undefined; next: string | null; commands: Shown[] };

const MOST_COMMANDS = 10_000;

/** A command that has ended does not change, and new ones come last. */
const mayChange = ({ next, commands }: BatchPage) => next === null || commands.some((one) => one.completed_at === null);

/** How many requests the next reading takes. */
export const pagesToRead = ({ pages }: Batch) => pages.filter(mayChange).length;

/** Reads the pages that may have changed since `known`, the oldest commands first. */
export async function readBatch(
  { commands }: Pick<TenantOpenPlatform, 'commands'>,
  batchId: string,
  { known, signal, onRead }: { known: Batch | undefined; signal: AbortSignal; onRead: (count: number) => void },
): Promise<Batch> {
  const pages: BatchPage[] = [];
  let count = 0;
  for (let cursor: string | undefined; ; ) {
    const before = known?.pages[pages.length];
    const isSame = before?.cursor === cursor && before !== undefined && !mayChange(before);
    const page = isSame ? before : await read(cursor);
    pages.push(page);
    count += page.commands.length;
    if (!isSame) onRead(count);
    if (page.next === null || count >= MOST_COMMANDS) return { pages, hasMore: page.next !== null };
    cursor = page.next;
  }

  async function read(cursor: string | undefined): Promise<BatchPage> {
    const query = { batch_id: batchId, order: 'asc' as const, limit: MAX_PAGE, cursor };
    const page = await commands.list(query, { signal });
    return { cursor, next: page.next_cursor, commands: page.items.map(toShown) };
  }
}

const toShown = ({
  command_id,
  vendor,
  device_id,
  command_type,
  created_by_client_id,
  status,
  accepted_at,
  completed_at,
}: Command): Shown => ({
  command_id,
  vendor,
  device_id,
  command_type,
  created_by_client_id,
  status,
  accepted_at,
  completed_at,
});
