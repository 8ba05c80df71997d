/** A part of a field that differs: `payload_schema.properties.rpm.maximum`. Undefined: it is not there. */
export type Difference = { field: string; from: unknown; to: unknown };

const asSet = (value: unknown) => (Array.isArray(value) ? value.map(String).toSorted() : value);
const asInstant = (value: unknown) => (typeof value === 'string' ? Date.parse(value) : value);
const asUrl = (part: 'href' | 'origin') => (value: unknown) =>
  typeof value === 'string' && URL.canParse(value) ? new URL(value)[part] : value;

/** How the platform stores what can be written in several ways. */
const stored: Readonly<Record<string, (value: unknown) => unknown>> = {
  scopes: asSet,
  vendors: asSet,
  allowed_operations: asSet,
  allowed_content_types: asSet,
  expires_at: asInstant,
  url: asUrl('href'),
  endpoint: asUrl('origin'),
};

/** How a field on the platform differs from the one in a file. */
export function differencesOf(field: string, from: unknown, to: unknown): Difference[] {
  const canonical = stored[field] ?? ((value) => value);
  return partsThatDiffer(field, canonical(from), canonical(to)).map((part) =>
    part.field === field ? { field, from, to } : part,
  );
}

function partsThatDiffer(field: string, from: unknown, to: unknown): Difference[] {
  if (isRecord(from) && isRecord(to)) {
    const names = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...names].flatMap((name) => partsThatDiffer(`${field}.${name}`, from[name], to[name]));
  }
  const isSame = Array.isArray(from) && Array.isArray(to) ? isSameList(from, to) : from === to;
  return isSame ? [] : [{ field, from, to }];
}

const isSameList = (from: readonly unknown[], to: readonly unknown[]) =>
  from.length === to.length && from.every((item, index) => partsThatDiffer('', item, to[index]).length === 0);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
