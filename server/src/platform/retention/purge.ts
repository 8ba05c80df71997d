/** Deletes some rows that have been kept for long enough. Called again soon while there may be more. */
export type Purge = {
  table: string;
  round: () => Promise<{ removed: number; hasMore: boolean }>;
};
