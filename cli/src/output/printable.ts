/**
 * Control and format characters, and separators of lines: text from devices and other people must not control the
 * terminal. Joiners belong to the spelling of words and to emoji.
 */
const UNSAFE = /(?![\u200C\u200D])[\p{C}\p{Zl}\p{Zp}]/gu;

/** The same without white space, which lays out JSON and YAML, and which their strings contain only as escapes. */
const UNSAFE_IN_DOCUMENT = /(?![\t\n\r\u200C\u200D])[\p{C}\p{Zl}\p{Zp}]/gu;

/** Shows unsafe characters as escapes. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** The same for a text of several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** The same JSON: unsafe characters are escaped as JSON escapes them, so a reader gets the same text. */
export function printableJson(json: string): string {
  return json.replace(UNSAFE_IN_DOCUMENT, (character) =>
    Array.from({ length: character.length }, (_, unit) => `\\u${hex(character.charCodeAt(unit), 4)}`).join(''),
  );
}

export function toJson(value: unknown, indent?: number): string {
  return printableJson(JSON.stringify(value, null, indent));
}

export const isUnsafeInDocument = (text: string) => text.search(UNSAFE_IN_DOCUMENT) >= 0;

/** Only strings in double quotes have these escapes. */
export function escapeForYaml(text: string): string {
  return text.replace(UNSAFE_IN_DOCUMENT, (character) => `\\U${hex(character.codePointAt(0) ?? 0, 8)}`);
}

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');
