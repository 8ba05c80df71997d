import { createHash } from 'node:crypto';
import { canonicalJson } from '@tenant-open-platform/contract/strict-json';

/** The fields of a resource as in its answers. An answer contains no stored secret. */
export type Facts = Readonly<Record<string, unknown>>;

export type SecretChanges = Readonly<Record<string, 'set' | 'rotated' | 'removed' | undefined>>;

/** Fields that every resource or every request has, and those that the use of a credential changes. */
const NOT_CHANGED_BY_ANYBODY = new Set([
  'request_id',
  'created_at',
  'updated_at',
  'last_used_at',
  'secret_last_used_at',
  'previous_secret_last_used_at',
]);

const LARGEST_VALUE_BYTES = 2_048;
const LARGEST_ENTRY_BYTES = 8_192;

/**
 * The values that differ; for a created or deleted resource, all of them. A large value is replaced by its size and the
 * SHA-256 of its canonical JSON, so that an auditor can still compare it.
 */
export function changedValues(before: Facts | null, after: Facts | null, secrets: SecretChanges = {}) {
  const names = Object.keys({ ...before, ...after }).filter(
    (name) => !NOT_CHANGED_BY_ANYBODY.has(name) && jsonOf(before?.[name]) !== jsonOf(after?.[name]),
  );
  const valuesOf = (facts: Facts | null, changed: SecretChanges) =>
    facts && bounded({ ...Object.fromEntries(names.map((name) => [name, facts[name] ?? null])), ...changed });
  return { before: valuesOf(before, {}), after: valuesOf(after, secrets) };
}

const jsonOf = (value: unknown) => JSON.stringify(value ?? null);

function bounded(values: Facts): Record<string, unknown> {
  let bytesLeft = LARGEST_ENTRY_BYTES;
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        const kept = summarized(value, Math.min(LARGEST_VALUE_BYTES, bytesLeft));
        bytesLeft -= Buffer.byteLength(jsonOf(kept));
        return [name, kept];
      }),
  );
}

function summarized(value: unknown, mostBytes: number): unknown {
  const bytes = Buffer.byteLength(jsonOf(value));
  if (bytes <= mostBytes || bytes <= SUMMARY_BYTES) return value;
  return { bytes, sha256: createHash('sha256').update(canonicalJson(value)).digest('hex') };
}

/** A summary would be larger than the value. */
const SUMMARY_BYTES = 100;
