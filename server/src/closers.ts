type Close = () => Promise<unknown>;

/** Resources in the order of their opening. They are closed in reverse order at a stop and after a failed start. */
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
