/**
 * A number of places that keys share, such as devices and tenants. A key takes a place only while it has fewer than are
 * free: one key alone gets half of the places, two get a third each, and there is always one for the next key.
 */
export class FairPlaces {
  #used = 0;
  readonly #usedBy = new Map<string, number>();

  constructor(readonly size: number) {}

  get free(): number {
    return this.size - this.#used;
  }

  usedBy(key: string): number {
    return this.#usedBy.get(key) ?? 0;
  }

  mayTake(keys: readonly string[]): boolean {
    return keys.every((key) => this.usedBy(key) < this.free);
  }

  take(keys: readonly string[]): void {
    this.#used += 1;
    for (const key of keys) this.#usedBy.set(key, this.usedBy(key) + 1);
  }

  leave(keys: readonly string[]): void {
    this.#used -= 1;
    for (const key of keys) {
      const left = this.usedBy(key) - 1;
      if (left > 0) this.#usedBy.set(key, left);
      else this.#usedBy.delete(key);
    }
  }

  /** The key that has the most places, and their number. */
  most(): [key: string, count: number] {
    let most: [string, number] = ['', 0];
    for (const entry of this.#usedBy) if (entry[1] > most[1]) most = entry;
    return most;
  }
}
