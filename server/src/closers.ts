type Close = () => Promise<unknown>;

/** What has been opened, to be closed in the reverse order: at a stop, and after a start that failed. */
export function createClosers() {
  const closers: Close[] = [];
  return {
    add(close: Close): void {
      closers.push(close);
    },
    async closeAll(): Promise<void> {
      for (const close of closers.splice(0).reverse()) await close();
    },
  };
}

export type Closers = ReturnType<typeof createClosers>;
