import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { root } from './root.mjs';

/**
 * Refuses a server that grows unnoticed: more lines than `server/size.json` allows, or a function longer than a screen
 * and a half. `--set` allows what there is and 1 % more.
 */
export const MAX_LINES_OF_FUNCTION = 120;

const linesOf = (text) => text.split('\n').length - 1;

/** What runs: the sources without tests, and the texts of the database functions. */
export const isCounted = (path) =>
  (path.startsWith('server/src/') && path.endsWith('.ts') && !path.endsWith('.test.ts')) ||
  (path.startsWith('server/drizzle/functions/') && path.endsWith('.sql'));

/** @param {Record<string, string>} files The text of each file by its path. */
export const linesIn = (files) =>
  Object.entries(files).reduce((sum, [path, text]) => sum + (isCounted(path) ? linesOf(text) : 0), 0);

/** @param {Record<string, string>} files */
export const longFunctionsIn = (files) =>
  Object.entries(files)
    .filter(([path]) => isCounted(path) && path.endsWith('.ts'))
    .flatMap(([path, text]) => {
      const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
      const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
      const found = [];
      const visit = (node) => {
        if (ts.isFunctionLike(node) && node.body) {
          const first = lineAt(node.getStart(source));
          const lines = lineAt(node.end) - first + 1;
          if (lines > MAX_LINES_OF_FUNCTION) found.push(`${path}:${first} ${nameOf(node)} has ${lines} lines`);
        }
        ts.forEachChild(node, visit);
      };
      visit(source);
      return found;
    });

const nameOf = ({ name, parent }) =>
  (name ?? (parent && ts.isVariableDeclaration(parent) ? parent.name : undefined))?.getText() ?? 'a function';

const filesBelow = (folder) =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`)
    : [];

function check() {
  const paths = ['server/src', 'server/drizzle/functions'].flatMap(filesBelow).filter(isCounted);
  const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  const lines = linesIn(files);
  const bound = join(root, 'server/size.json');
  const { why, mostLines } = JSON.parse(readFileSync(bound, 'utf8'));
  if (process.argv.includes('--set')) {
    writeFileSync(bound, `${JSON.stringify({ why, mostLines: Math.floor(lines * 1.01) }, null, 2)}\n`);
    return;
  }
  const problems = longFunctionsIn(files).map((problem) => `${problem}, more than ${MAX_LINES_OF_FUNCTION}`);
  if (lines > mostLines) problems.push(`The server has ${lines} lines, more than the ${mostLines} of server/size.json`);
  for (const problem of problems) process.stderr.write(`${problem}.\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) check();
