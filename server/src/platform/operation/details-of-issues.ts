import type { ErrorDetail } from '@tenant-open-platform/contract';
import { locationOf } from '@tenant-open-platform/contract/strict-json';

type Issue = {
  code?: string;
  path?: ReadonlyArray<PropertyKey | { key: PropertyKey }>;
  message: string;
  keys?: string[];
};

const MAX_DETAILS = 20;

/** The problems that a schema has found, bounded: of a request, or of a message of the bus. */
export function detailsIn(part: 'query' | 'body', error: { issues: ReadonlyArray<unknown> } | null): ErrorDetail[] {
  const issues = (error?.issues ?? []) as Issue[];
  return withoutRepeats(issues)
    .slice(0, MAX_DETAILS)
    .flatMap((issue) => {
      const path = (issue.path ?? []).map((step) => (typeof step === 'object' ? step.key : step));
      if (issue.code === 'unrecognized_keys') {
        return (issue.keys ?? []).slice(0, MAX_DETAILS).map((key) => ({
          location: locationOf(part, [...path, key]),
          code: 'UNKNOWN_FIELD',
          message: 'is not a known field',
        }));
      }
      return [
        {
          location: locationOf(part, path),
          code: (issue.code ?? 'invalid').toUpperCase(),
          message: lowerFirst(issue.message),
        },
      ];
    })
    .slice(0, MAX_DETAILS);
}

/** A value of the wrong type breaks further rules. They would only hide the one that counts. */
function withoutRepeats(issues: Issue[]): Issue[] {
  const ofWrongType = new Set<string>();
  return issues.filter((issue) => {
    const place = JSON.stringify(issue.path ?? []);
    if (ofWrongType.has(place)) return false;
    if (issue.code === 'invalid_type') ofWrongType.add(place);
    return true;
  });
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
