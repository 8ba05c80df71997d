import { RE2JS } from 're2js';

/**
 * Patterns as RE2 has them: a match takes time in proportion to the text, whatever the pattern. One of ECMAScript
 * such as (a+)+$ can be made to take for ever, by any client whose payload it checks.
 */
export const linearPattern = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    return { test: (text: string) => compiled.matcher(text).find() };
  },
  // Only code that Ajv writes to a file would need it.
  { code: 'linearPattern' },
);
