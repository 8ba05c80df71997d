import document from '@tenant-open-platform/contract/openapi.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { commandAt } from '../test/complete-help.js';

type Described = { operationId: string; 'x-codeSamples': { label: string; source: string }[] };

const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods) as Described[]);

/** Words as a shell reads them. The samples quote by single quotes alone. */
const wordsOf = (line: string) =>
  [...line.matchAll(/(?:'[^']*'|\\'|[^\s'])+/g)].map(([word]) =>
    word.replace(/'([^']*)'/g, '$1').replaceAll("\\'", "'"),
  );

test.each(operations)('the topctl sample of $operationId is a complete call', (operation) => {
  const source = operation['x-codeSamples'].find(({ label }) => label === 'topctl')?.source ?? '';
  const [program, group = '', verb = '', ...words] = wordsOf(source);
  const command = commandAt([group, verb]);
  const known = [command, ...(command.parent?.parent ? [command.parent.parent] : [])].flatMap(({ options }) => options);
  const args: string[] = [];
  const given = new Set<string>();
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (!word.startsWith('--')) {
      args.push(word);
      continue;
    }
    const option = known.find(({ long, short }) => word === long || word === short);
    expect(option, word).toBeDefined();
    given.add(option?.long ?? '');
    if (!option?.isBoolean()) index++;
    if (option?.argChoices) expect(option.argChoices).toContain(words[index]);
  }
  expect(program).toBe('topctl');
  expect(args).toHaveLength(command.registeredArguments.length);
  const required = command.options.filter(({ description }) => description.includes('(required)'));
  expect(required.map(({ long }) => long).filter((flag) => !given.has(flag ?? ''))).toEqual([]);
});
