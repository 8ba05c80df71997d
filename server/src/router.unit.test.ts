import { readdirSync } from 'node:fs';
import { allOperations, contract } from '@tenant-open-platform/contract';
import { expect, test } from 'vitest';

const features = new URL('features/', import.meta.url);

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const singular = (noun: string) => noun.replace(/ies$/, 'y').replace(/(?<!s)s$/, '');

const ofMany = ['list', 'create-many', 'summary'];

/** `objectResources.get` is `object-resources/get-object-resource.ts`. A list keeps the plural. */
function fileOf(operation: string): string {
  const [resource = '', verb = ''] = operation.split('.').map(kebab);
  return `${resource}/${verb}-${ofMany.includes(verb) ? resource : singular(resource)}.ts`;
}

test('every resource of the contract has a folder of its name, and every folder is a resource', () => {
  expect(readdirSync(features).sort()).toEqual(Object.keys(contract).map(kebab).sort());
});

test.each(allOperations.map(({ name }) => name))('%s has a file of its name', (name) => {
  const [folder = '', file = ''] = fileOf(name).split('/');
  expect(readdirSync(new URL(`${folder}/`, features))).toContain(file);
});
