import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { errors } from './errors.js';

const documentAt = (file: string) => JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));

/** Every text for readers of the reference page, the SDK and `topctl --help`, with its place. */
function textsIn(value: unknown, at: string): { at: string; text: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    if (/^(examples?|x-codeSamples)$/.test(key)) return [];
    const isText = typeof child === 'string' && /^(description|summary|meaning|fix|check)$/.test(key);
    return isText ? [{ at: `${at}/${key}`, text: child }] : textsIn(child, `${at}/${key}`);
  });
}

const texts = [
  ...textsIn(documentAt('openapi.json'), 'openapi.json'),
  ...textsIn(documentAt('asyncapi.json'), 'asyncapi.json'),
  ...textsIn(errors, 'errors.ts'),
];

/** Phrases that a reader must read twice, and the usual words for them. */
const riddles: [phrase: RegExp, say: string][] = [
  [/\bfor (programs|people)\b|\bin (a|one) (word|sentence)\b/i, 'Machine-readable …, Human-readable …'],
  [/\bnobody\b|\bwhoever\b|\bsaid\b|\bsays\b/i, 'if no … was reported; anyone who …'],
  [/\bthis once\b|\bshown once\b|\bonce more\b|\banew\b/i, 'returned only in this response; again'],
  [/\bgoe?s? on\b|\bgo(es)? behind\b|\bbehind (it|this)\b/i, 'continue; after'],
  [/\bslip\b/i, 'Repeat the … to confirm.'],
  [/\bnot named\b|\bthe body names\b|\bleaves the others\b/i, 'Updates only the fields in the body.'],
  [/\bcounts? up\b|\bcounts the\b|\bat first\b/i, 'increments; starts at 1 and increases by 1'],
  [/\bholds from\b|\bvery next\b|\bnext \w+ on\b/i, 'applies from the next …'],
  [/\bappl(y|ies) to the next\b|\beffect with the next\b/i, 'A change applies from the next request of …'],
  [/\bchanges? of\b/i, 'a change to …'],
  [/\bif none\b|\bnone (ever )?did\b/i, 'if no … has ever …'],
  [/\bentr(y|ies)\b/i, 'audit event'],
  [/\bthe reference\b/i, 'the API reference'],
  [/\bfor ?ever\b|\bfree again\b/i, 'permanently; can never be used again'],
  [/\bthose that\b|\b(that|those) of\b|\bone that\b/i, 'the noun'],
  [/\bwhat (it|the \w+) (does with|did|do|gets?|said|asks?|returned|may|grants?)\b|\bwhat was\b/i, 'Data …; Result …'],
  [/\bnull (for|where|before|in case)\b|\bif nothing\b|\bfor nothing\b|\bfor none\b|\bgets? none\b/i, 'null if …'],
  [/(^|[.;:] )until when\b/i, 'When … expires.'],
  [/\b(is|are) good\b|\bgood for\b/i, 'allows; is valid'],
  [/\bthe most \w+s\b|\bthe largest \w+,/i, 'Maximum …'],
  [/\ba (tenant|minute|second) by default\b|\b(requests?|times) a (minute|second)\b/i, 'per …'],
  [/\b(ones?|DISABLED|DELETED|retries) included\b/i, 'including …'],
  [/\b(takes?|taken) (back|away|no)\b|\binto the catalog\b/i, 'cancels; removes; refuses; adds'],
  [/\b(makes?|made) (by|nothing|a new|no)\b/i, 'generates; creates'],
  [/\bhow far\b|\bon the way\b|\bcame too late\b|\bwhen it came\b/i, 'Progress …; not final; late'],
  [/\bseal(s|ed)\b/i, 'stored encrypted'],
  [/\bcarr(y|ies|ied)\b.{0,9}\bout\b/i, 'executes'],
  [/\banswer(s|ed)?\b/i, 'response; responds; returns'],
  [/\bleaves? \w* ?out\b|\bleft out\b/i, 'omits'],
  [/\b(every|each|a) node\b/i, 'per server instance'],
  [/\bdurables?\b(?! consumer)/i, 'durable consumer'],
  [/(^|[ .])(details|metadata(\.\w+)?) (is|are|has|lists|names)\b/, '`details` lists …'],
  [/\b(GET|POST|PUT|DELETE) \/api\/v1\//, 'the operation id'],
];

test('the documents are read in every part', () => {
  const parts = [/paths.*parameters/, /paths.*responses/, /schemas/, /headers/, /tags/, /webhooks/, /^async/];
  expect(parts.filter((part) => !texts.some(({ at }) => part.test(at)))).toEqual([]);
});

test('no text has a phrase that must be read twice', () => {
  const found = texts.flatMap(({ at, text }) =>
    riddles
      .filter(([phrase]) => phrase.test(text))
      .map(([phrase, say]) => `${at}: “${phrase.exec(text)?.[0]}”. Say: ${say}. The text: ${text}`),
  );
  expect(found).toEqual([]);
});

/** The riddles that the guides and the help have had, too. */
const riddlesOfGuides =
  /\banew\b|\bonce more\b|\bgo(es)? on\b|\bslip\b|\bcounts? up\b|\b(ones?|retries|headers)`? included\b|\bcomes? on top\b|\b(accepted|refused) by (itself|themselves)\b|\bappl(y|ies) to the next\b|\beffect with the next\b|\bas a whole\b|\bhow it stands\b/i;

const root = new URL('../../', import.meta.url);
const guides = readdirSync(new URL('docs/', root)).filter((name) => name.endsWith('.md'));

test.each([
  ...guides.map((name) => `docs/${name}`),
  ...['README.md', 'sdk/README.md', 'cli/README.md', 'cli/help.golden.txt'],
])('%s has no phrase that must be read twice', (file) => {
  const prose = readFileSync(new URL(file, root), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
  expect(prose.split('\n').filter((line) => riddlesOfGuides.test(line))).toEqual([]);
});

test('no sentence has more than 32 words', () => {
  const found = texts.flatMap(({ at, text }) => {
    const prose = text.replaceAll(/```[\s\S]*?```|^\|.*$/gm, '');
    const sentences = prose.split(/\.\s|\n/).filter((sentence) => sentence.split(/\s+/).length > 32);
    return sentences.map((sentence) => `${at}: ${sentence}`);
  });
  expect(found).toEqual([]);
});
