/** The parts of a value that --fields names: `a,b.c` of `{a, b: {c, d}}` is `{a, b: {c}}`. */
export function pickFields(value: unknown, paths: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => pickFields(item, paths));
  if (typeof value !== 'object' || value === null) return value;
  const below = new Map<string, string[]>();
  for (const path of paths) {
    const [name = '', ...rest] = path.split('.');
    below.set(name, [...(below.get(name) ?? []), rest.join('.')]);
  }
  const picked = [...below].map(([name, rests]) => {
    const part = (value as Record<string, unknown>)[name] ?? null;
    return [name, rests.includes('') ? part : pickFields(part, rests)];
  });
  return Object.fromEntries(picked);
}

/** The value at `b.c`; of a list, the values of its items. */
export function valueAt(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (at, name) => (Array.isArray(at) ? at.map((item) => partOf(item, name)) : partOf(at, name)),
      value,
    );
}

const partOf = (value: unknown, name: string) =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** Where a field is that a table shows on the first level, as `d` or `d_b`: `a.b.d` of `{a: {b: {d}}}`. */
export function pathTo(value: unknown, name: string, above: readonly string[] = []): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  for (const [field, part] of Object.entries(value)) {
    const path = [...above, field];
    const found = [field, `${field}_${above.at(-1)}`].includes(name) ? path.join('.') : pathTo(part, name, path);
    if (found) return found;
  }
  return undefined;
}
