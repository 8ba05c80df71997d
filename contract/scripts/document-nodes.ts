type Json = Record<string, unknown>;

/** Every object of the document that is not part of an example. */
export function* nodes(value: unknown, at = '#'): Generator<{ node: Json; at: string }> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield { node: value as Json, at };
  for (const [key, child] of Object.entries(value)) {
    if (key !== 'example' && key !== 'examples') yield* nodes(child, `${at}/${key}`);
  }
}

/** The places of properties without a description of their own or of their type. */
export function undescribedProperties(document: object): string[] {
  return [...nodes(document)].flatMap(({ node, at }) =>
    Object.entries((node.properties ?? {}) as Record<string, Json>)
      .filter(([, property]) => !property.description && !property.$ref)
      .map(([name]) => `${at}/${name}`),
  );
}
