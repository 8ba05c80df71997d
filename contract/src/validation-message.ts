import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
};

const formats: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  base64: 'base64',
  datetime: 'a time of RFC 3339, such as 2026-01-31T09:30:00.000Z',
};

/**
 * What is wrong with a value. It goes on from the place of the value: "body/name is required". A schema with a pattern
 * or a rule of its own brings its own message.
 */
export function validationMessage(issue: Issue): string | undefined {
  if (issue.input === undefined && issue.code !== 'unrecognized_keys') return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? 'another kind of value'}`;
    case 'invalid_value':
      return `must be ${anyOf(issue.values.map(String))}`;
    case 'invalid_format':
      return `must be ${formats[issue.format] ?? 'of another form'}`;
    case 'too_small':
      return issue.minimum === 1 && issue.origin === 'string'
        ? 'must not be empty'
        : bound('at least', issue.minimum, issue.origin);
    case 'too_big':
      return bound('at most', issue.maximum, issue.origin);
    case 'unrecognized_keys':
      return 'has an unknown field';
    default:
      return 'is not valid';
  }
}

function bound(word: string, count: number | bigint, origin: string): string {
  const unit = { string: 'characters', array: 'items', set: 'items', object: 'fields' }[origin];
  if (!unit) return `must be ${word} ${count}`;
  return `must have ${word} ${count} ${Number(count) === 1 ? unit.slice(0, -1) : unit}`;
}

const anyOf = (values: string[]) =>
  values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
