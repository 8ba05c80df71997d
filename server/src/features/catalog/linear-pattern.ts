import { RE2JS } from 're2js';

/**
 * A pattern of RE2: a match takes time in proportion to the length of the text. A pattern of ECMAScript such as (a+)+$
 * can take for ever, and a client chooses the text.
 */
export const linearPattern = Object.assign(
  (pattern: string) => RE2JS.compile(pattern),
  // Only code that Ajv writes to a file would need it.
  { code: 'linearPattern' },
);
