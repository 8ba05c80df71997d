import { stripVTControlCharacters } from 'node:util';
import { expect, test, vi } from 'vitest';
import { expectInOrder, runPage } from './documentation-blocks.js';
import { startNode } from './start-node.js';

vi.setConfig({ testTimeout: 180_000 });

const WIDE_NAME = '東京のポンプ🚰'.repeat(9);
const WIDE = /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u;

const cellsOf = (line: string) => [...line].reduce((cells, character) => cells + (WIDE.test(character) ? 2 : 1), 0);

/** The page, with what it does not show: wide characters, and what the environment changes. */
const before = `
asAdmin() { ./node_modules/.bin/topctl --profile-file data/platform-admin.json "$@"; }
asAdmin tenants create --tenant-id "wide-$RANDOM" --name '${WIDE_NAME}'
asAdmin tenants list --limit 500
asAdmin tenants get nowhere || echo "refused with $?"
asAdmin credentials rotate nobody --tenant nowhere --yes || echo "refused with $?"
asAdmin credentials list --tenant nowhere --devise-id || echo "refused with $?"
asAdmin credentials list --tenant demo --status ACTIV || echo "refused with $?"
`;

/** Runs the page on a platform of its own: the tenants of other tests have names that are not measured here. */
async function runOnOwnPlatform(terminal: boolean): Promise<string> {
  const { folder } = await startNode();
  const first = `${terminal ? '' : 'exec 2>&1\n'}cp ${folder}/platform-admin.json data/`;
  return runPage('docs/topctl.md', { before: `${first}${before}`, terminal });
}

test('a day of administration on a terminal of 80 columns: every line fits, nothing asks', async () => {
  const screen = stripVTControlCharacters(await runOnOwnPlatform(true));
  const lines = screen.split(/[\r\n]+/);
  expect(lines.filter((line) => cellsOf(line) > 80)).toEqual([]);
  expectInOrder(screen, [
    '東京のポンプ',
    'refused with 3',
    'signature',
    'First command: SUCCEEDED',
    'SUCCEEDED',
    'credentials.create',
    'DISABLED',
  ]);
});

test('the same in a pipe: whole values, no escape sequence, and nobody answers a question', async () => {
  const printed = await runOnOwnPlatform(false);
  expect(printed).toBe(stripVTControlCharacters(printed));
  expect(printed).not.toContain('◆');
  expect(printed).toContain(WIDE_NAME);
});
