export type Schema = Record<string, unknown>;
export type Path = readonly string[];

/** A subschema and the keyword that holds it. `true` and `false` are schemas without keywords. */
export type Place = { path: Path; schema: Schema; heldBy: string | null; inner: Place[] };

export const HOLDING_ONE = new Set([
  ...['not', 'if', 'then', 'else'],
  ...['items', 'contains', 'additionalProperties', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
  'contentSchema',
]);
export const HOLDING_MANY = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'dependentSchemas'],
  ...['prefixItems', 'properties', 'patternProperties', '$defs', 'definitions'],
]);

export function placesIn(schema: Schema): [Place, ...Place[]] {
  const root = placeOf(schema, [], null);
  return [root, ...root.inner.flatMap(withInner)];
}

const withInner = (place: Place): Place[] => [place, ...place.inner.flatMap(withInner)];

const placeOf = (schema: Schema, path: Path, heldBy: string | null): Place => ({
  path,
  schema,
  heldBy,
  inner: Object.entries(schema).flatMap(([keyword, held]) => {
    const place = (inner: Schema, ...step: string[]) => placeOf(inner, [...path, keyword, ...step], keyword);
    if (HOLDING_ONE.has(keyword)) return [place(held as Schema)];
    if (HOLDING_MANY.has(keyword)) return Object.entries(held as Schema[]).map(([step, inner]) => place(inner, step));
    return [];
  }),
});

export type Finder = (ref: unknown) => Place | undefined;

/** Finds the target of a $ref: a JSON Pointer (RFC 6901) or an $anchor follows the #. */
export function placeFinder(places: Place[]): Finder {
  const known = new Map(
    places.flatMap((place) => [
      [place.path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''), place] as const,
      ...(typeof place.schema.$anchor === 'string' ? [[place.schema.$anchor, place] as const] : []),
    ]),
  );
  return (ref) => {
    if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined;
    try {
      return known.get(decodeURIComponent(ref.slice(1)));
    } catch {
      return undefined;
    }
  };
}
