import { join, relative, resolve } from 'node:path';
import { type Document, isNode, LineCounter, parseAllDocuments, visit } from 'yaml';
import type { z } from 'zod';
import { type Context, readStdinBytes } from '../context.js';
import { UsageError } from '../errors.js';
import { textIn } from '../input/decode.js';
import { didYouMean } from '../input/did-you-mean.js';
import { ConfigurationFile, items } from './file-schema.js';
import { type ListName, topLists } from './kinds.js';
import { duplicatesIn, merged, type Path, type WantedLists, wantedLists } from './wanted.js';

const FILE = /\.(ya?ml|json)$/;
/** Hidden files, installed packages, and the JSON Schema of these files. */
const IGNORED = /(^|[\\/])(\.|node_modules[\\/])|\.schema\.json$/;
const MOST_PROBLEMS = 20;

/** What the files, and the files of the folders, want together. Names every problem with its file and line. */
export async function readFiles(context: Context, paths: readonly string[]): Promise<WantedLists> {
  const problems: string[] = [];
  const documents: WantedLists[] = [];
  for (const path of await filesOf(context, paths)) {
    const { text, name } = await textOf(context, path);
    documents.push(...documentsIn(text, name, problems));
  }
  refuse(problems);
  const lists = merged(topLists, documents);
  refuse(duplicatesIn(lists));
  return lists;
}

function refuse(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const more = problems.length - MOST_PROBLEMS;
  const shown = [...problems.slice(0, MOST_PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])];
  throw new UsageError(`the files are not valid, so nothing was done\n${shown.map((line) => `  ${line}`).join('\n')}`);
}

async function filesOf({ fs, cwd }: Context, paths: readonly string[]): Promise<string[]> {
  const files: string[] = [];
  for (const path of paths) {
    const isFolder = path !== '-' && (await fs.stat(resolve(cwd, path)).catch(unreadable(path))).isDirectory();
    if (!isFolder) files.push(path);
    else {
      const below = await fs.readdir(resolve(cwd, path), { recursive: true }).catch(unreadable(path));
      const found = below.filter((name) => FILE.test(name) && !IGNORED.test(name)).sort();
      if (found.length === 0) throw new UsageError(`there is no .yaml, .yml or .json file in ${path}`);
      files.push(...found.map((name) => join(path, name)));
    }
  }
  // A file that is also in a folder would name everything twice.
  return [...new Map(files.map((path) => [path === '-' ? path : resolve(cwd, path), path])).values()];
}

async function textOf(context: Context, path: string): Promise<{ text: string; name: string }> {
  if (path === '-') return { text: textIn(await readStdinBytes(context), 'stdin'), name: 'stdin' };
  const absolute = resolve(context.cwd, path);
  const name = relative(context.cwd, absolute) || path;
  return { text: textIn(await context.fs.readFile(absolute).catch(unreadable(path)), name), name };
}

const unreadable = (path: string) => (error: Error) => {
  throw new UsageError(`cannot read ${path}: ${error.message}`);
};

/** JSON is YAML. */
function documentsIn(text: string, file: string, problems: string[]): WantedLists[] {
  const lines = new LineCounter();
  // A message with an excerpt could show a secret.
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  return [...documents].flatMap((document) => {
    for (const { message, pos } of document.errors) {
      const { line, col } = lines.linePos(pos[0]);
      problems.push(`${file}:${line}:${col}: ${message}`);
    }
    for (const at of inexactNumbersIn(document)) {
      problems.push(`${file}:${lines.linePos(at).line}: a number that JSON cannot hold exactly`);
    }
    if (document.errors.length > 0) return [];
    const placeOf = (path: Path) => {
      const node = document.getIn(path, true);
      return `${file}:${isNode(node) && node.range ? lines.linePos(node.range[0]).line : 1}`;
    };
    const parsed = ConfigurationFile.safeParse(document.toJS() ?? {});
    if (parsed.success) return [wantedLists(topLists, parsed.data, placeOf)];
    for (const issue of parsed.error.issues) problems.push(...linesOf(issue, placeOf));
    return [];
  });
}

/** They would become other numbers, or null. */
function inexactNumbersIn(document: Document.Parsed): number[] {
  const places: number[] = [];
  visit(document, {
    Scalar(_, { value, range }) {
      const isInexact = typeof value === 'number' && (Math.abs(value) > Number.MAX_SAFE_INTEGER || Number.isNaN(value));
      if (isInexact) places.push(range?.[0] ?? 0);
    },
  });
  return places;
}

function linesOf(issue: z.core.$ZodIssue, placeOf: (path: Path) => string): string[] {
  const path = issue.path as (string | number)[];
  const where = nameOf(path);
  if (issue.code !== 'unrecognized_keys') {
    // An absent field has no line of its own.
    const place = placeOf(issue.message === 'is required' ? path.slice(0, -1) : path);
    return [`${place}: ${where || 'the document'} ${issue.message}`];
  }
  const list = path.findLast((part) => typeof part === 'string');
  const known = Object.keys((list === undefined ? ConfigurationFile : items[list as ListName]).shape);
  return issue.keys.map(
    (key) => `${placeOf([...path, key])}: ${nameOf([...path, key])} is an unknown field.${didYouMean(key, known)}`,
  );
}

/** `tenants[0].credentials[1].name` */
const nameOf = (path: Path) =>
  path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${part}`)).join('');
