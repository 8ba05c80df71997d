import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { allOperations, contract } from '@tenant-open-platform/contract';
import { expect, test } from 'vitest';

const resources = new URL('resources/', import.meta.url);

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const camel = (name: string) => name.replace(/-[a-z]/g, (letter) => letter.slice(1).toUpperCase());

const singular = (noun: string) => noun.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');

const ofMany = ['list', 'create-many', 'summary', 'figures'];

/** `objectResources.get` is `get-object-resource`. A list keeps the plural. */
const nameOf = (resource: string, verb: string) => `${verb}-${ofMany.includes(verb) ? resource : singular(resource)}`;

test('every resource of the contract has a folder of its name, and every folder is a resource', () => {
  const folders = readdirSync(resources, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(Object.keys(contract).map(kebab).sort());
});

test.each(allOperations.map(({ name }) => name))(
  '%s has a file of its name, or is in the file of its resource',
  (name) => {
    const [resource = '', verb = ''] = name.split('.').map(kebab);
    const folder = new URL(`${resource}/`, resources);
    if (existsSync(new URL(`${nameOf(resource, verb)}.ts`, folder))) return;
    const text = readFileSync(new URL(`${resource}.ts`, folder), 'utf8');
    const names = `${camel(verb)}|${camel(nameOf(resource, verb))}`;
    expect(text).toMatch(new RegExp(`^export (const (${names})\\b|\\{ \\w+ as ${verb} \\})`, 'm'));
  },
);
