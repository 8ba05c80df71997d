const ASCII = /^[\x20-\x7e]*$/;

/** Emoji, and the scripts of East Asia: two columns of a terminal. */
const WIDE =
  /\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]/u;

const charactersOf = (text: string) => Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  return charactersOf(text).reduce((width, character) => width + (WIDE.test(character) ? 2 : 1), 0);
}

export const pad = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** The beginning of a text that is too wide, with three dots. */
export function cut(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${headOf(text, width - 1)}…`;
}

function headOf(text: string, width: number): string {
  let head = '';
  let taken = 0;
  for (const character of charactersOf(text)) {
    taken += widthOf(character);
    if (taken > width) break;
    head += character;
  }
  return head;
}

/**
 * Lines of whole words. A word that is wider than a line is broken with `breakWords`, or if its script has no spaces:
 * other words, such as URLs, may be copied.
 */
export function wrap(text: string, width: number, { breakWords = false } = {}): string[] {
  const lines: string[] = [];
  let line = '';
  for (let word of text.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line);
      line = '';
    }
    while ((breakWords || WIDE.test(word)) && widthOf(word) > width) {
      const head = headOf(word, width);
      lines.push(head);
      word = word.slice(head.length);
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
