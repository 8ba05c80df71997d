import { linearPattern } from './linear-pattern.js';
import type { Finder, Place } from './payload-schema-places.js';

/** Their schemas apply only through a $ref. */
const KEPT_FOR_REFERENCE = new Set(['$defs', 'definitions']);

/** At most one of these schemas applies to the same part of a value: the most expensive counts. */
const APART = new Set(['properties', 'additionalProperties', 'items', 'prefixItems']);

/** Checking one of these costs as much as applying four schemas. Measured. */
const EXPENSIVE = ['const', 'enum', 'uniqueItems', 'multipleOf', 'format'];

/** Ajv keeps the errors of all items that do not match `contains`. Measured. */
const CONTAINS_TIMES = 16;

/** Looking up this many names costs as much as applying one schema. Measured. */
const NAMES_PER_STEP = 16;

type Work = {
  steps: number;
  /** A schema that refers to itself: each level of a payload could multiply the steps of the level above. */
  recursive: Place | null;
};

/**
 * How many steps a byte of a payload can take. Each schema that applies to it is a step, and so is each instruction of
 * a pattern that is matched against it.
 */
export function workOf(root: Place, find: Finder): Work {
  let recursive: Place | null = null;
  /** Infinity while it is being counted. */
  const counted = new Map<Place, number>();

  function stepsOf(place: Place): number {
    const known = counted.get(place);
    if (known === Number.POSITIVE_INFINITY) recursive ??= place;
    if (known !== undefined) return known;
    counted.set(place, Number.POSITIVE_INFINITY);
    const referred = find(place.schema.$ref);
    let together = ownSteps(place.schema) + (referred ? stepsOf(referred) : 0);
    let apart = 0;
    for (const inner of place.inner) {
      const heldBy = inner.heldBy as string;
      if (KEPT_FOR_REFERENCE.has(heldBy)) continue;
      if (APART.has(heldBy)) apart = Math.max(apart, stepsOf(inner));
      else together += stepsOf(inner) * (heldBy === 'contains' ? CONTAINS_TIMES : 1);
    }
    counted.set(place, together + apart);
    return together + apart;
  }

  return { steps: stepsOf(root), recursive };
}

function ownSteps(schema: Place['schema']): number {
  const patterns = Object.keys(schema.patternProperties ?? {});
  if (typeof schema.pattern === 'string') patterns.push(schema.pattern);
  const lists = [schema.properties, schema.required, ...Object.values(schema.dependentRequired ?? {})];
  const names = lists.reduce<number>((sum, list) => sum + Object.keys(list ?? {}).length, 0);
  return (
    1 +
    Math.floor(names / NAMES_PER_STEP) +
    4 * EXPENSIVE.filter((keyword) => Object.hasOwn(schema, keyword)).length +
    patterns.reduce((sum, pattern) => sum + linearPattern(pattern).programSize(), 0)
  );
}
