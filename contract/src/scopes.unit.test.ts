import { expect, test } from 'vitest';
import { platformTenantScopes } from './contract.js';

test('scopes that affect every tenant belong to tenant platform alone', () => {
  expect(platformTenantScopes).toEqual([
    'platform:tenant:create',
    'platform:tenant:update',
    'platform:tenant:delete',
    'platform:tenant:export',
    'platform:catalog:read',
    'platform:catalog:update',
  ]);
});
