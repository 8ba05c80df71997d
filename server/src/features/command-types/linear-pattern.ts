import { RE2JS } from 're2js';

/**
 * A regular expression of RE2: matching takes time proportional to the length of the text. An ECMAScript pattern such
 * as (a+)+$ can run forever, and a client chooses the text.
 */
export const linearPattern = Object.assign(
  (pattern: string) => RE2JS.compile(pattern),
  // Needed only by standalone code that Ajv writes to a file.
  { code: 'linearPattern' },
);
