/** Deletes some expired rows. It is called again soon if there may be more. */
export type Purge = {
  table: string;
  round: () => Promise<{ removed: number; hasMore: boolean }>;
};
