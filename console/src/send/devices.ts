/** `repeated`: how many names were left out. `split`: how many lines named several. `header`: the first line, if it names no device. */
export type Devices = { ids: string[]; repeated: number; split: number; header: string | null };

/** A device on each line. A line with commas names several. */
export function devicesOfLines(text: string): Devices {
  const lines = text.split(/\r\n|[\n\r]/);
  const ids = lines.flatMap((line) => line.split(','));
  const split = lines.filter((line) => line.split(',').filter((part) => part.trim()).length > 1).length;
  return { ...tidied(ids), split, header: null };
}

/** A JSON array of texts, or the first column of CSV, of which lines of text are a case. Null: neither. */
export function devicesOfFile(content: string): Devices | null {
  const text = content.replace(/^\uFEFF/, '');
  if (/^\s*\[/.test(text)) {
    const ids = textsOf(text);
    return ids && { ...tidied(ids), split: 0, header: null };
  }
  const cells = firstColumn(text);
  const header = /^device([ _-]?id)?$/i.test(cells[0]?.trim() ?? '') ? (cells.shift() ?? null) : null;
  return { ...tidied(cells), split: 0, header };
}

function tidied(texts: readonly string[]): Pick<Devices, 'ids' | 'repeated'> {
  const named = texts.map((text) => text.trim()).filter((text) => text !== '');
  const ids = [...new Set(named)];
  return { ids, repeated: named.length - ids.length };
}

function textsOf(json: string): string[] | null {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : null;
  } catch {
    return null;
  }
}

/** RFC 4180, also with semicolons or tabs: the first cell of a row, quoted or not, and the rest of the row. */
const ROW = /(?:"((?:[^"]|"")*)"|([^,;\t\r\n]*))(?:"(?:[^"]|"")*"|[^\r\n"])*(?:\r\n|[\r\n]|"|$)/y;

function firstColumn(text: string): string[] {
  const cells: string[] = [];
  ROW.lastIndex = 0;
  while (ROW.lastIndex < text.length) {
    const [, quoted, plain = ''] = ROW.exec(text) ?? [];
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
  }
  return cells;
}
