import { contract } from '@tenant-open-platform/contract';
import { z } from 'zod';
import { holdsSeed } from '../secrets/nkey-seed.js';
import type { ListName } from './kinds.js';

const { vendors, commandTypes, tenants, credentials, roles, roleBindings, policies, busPrincipals } = contract;
const { callbackEndpoints, callbackSubscriptions, objectCredentials, objectResources } = contract;

/** A thing that a file names is there. To delete something for ever is a command. */
const status = z.enum(['ACTIVE', 'DISABLED']).optional().describe('ACTIVE by default.');
const seedless = (field: z.ZodString, isKey: boolean) =>
  field.refine((text) => !holdsSeed(text, { isKey }), 'contains a private seed. Give the public key (A… or U…)');

const command_types = z.strictObject({
  command_type: commandTypes.put.pathParams.shape.command_type,
  ...commandTypes.put.body.shape,
});
const role_bindings = z.strictObject(roleBindings.create.body.shape);
const policyItems = z.strictObject(policies.create.body.shape);
const roleItems = z.strictObject({ role: roles.put.pathParams.shape.role, ...roles.put.body.shape });
const { rotate_secret: _rotate, previous_secret_ttl_seconds: _ttl, ...ofCredential } = credentials.create.body.shape;
const credentialItems = z.strictObject({ ...ofCredential, status });
const ofPrincipal = busPrincipals.create.body.shape;
const bus_principals = z.strictObject({
  ...ofPrincipal,
  bus_user: seedless(ofPrincipal.bus_user, false),
  bus_account_public_key: seedless(ofPrincipal.bus_account_public_key, true),
  bus_user_public_key: seedless(ofPrincipal.bus_user_public_key, true),
  service_name: ofPrincipal.service_name.unwrap().nullable().optional(),
  client_id: ofPrincipal.client_id.unwrap().nullable().optional(),
  status,
});
const callback_subscriptions = z.strictObject(callbackSubscriptions.create.body.shape);
const callback_endpoints = z.strictObject({
  ...callbackEndpoints.create.body.shape,
  callback_subscriptions: z.array(callback_subscriptions).optional().describe('Its subscriptions.'),
});
const { credential_id: _credential, ...ofResource } = objectResources.create.body.shape;
const object_resources = z.strictObject(ofResource);
const {
  secret_access_key: _secret,
  session_token: _token,
  ...ofObjectCredential
} = objectCredentials.create.body.shape;
const object_credentials = z.strictObject({
  ...ofObjectCredential,
  object_resources: z.array(object_resources).optional().describe('The object resources that use it.'),
});
const vendorItems = z.strictObject({
  vendor: vendors.put.pathParams.shape.vendor,
  enabled: vendors.put.body.shape.enabled.optional(),
  command_types: z.array(command_types).optional().describe('Its command types.'),
});
const tenantItems = z.strictObject({
  ...tenants.create.body.shape,
  name: tenants.create.body.shape.name.optional(),
  roles: z.array(roleItems).optional().describe('Its custom roles.'),
  credentials: z.array(credentialItems).optional().describe('Its credentials. Their secrets are in no file.'),
  role_bindings: z.array(role_bindings).optional().describe('Which credential has which role.'),
  policies: z.array(policyItems).optional().describe('Scopes that are granted to a credential without a role.'),
  bus_principals: z.array(bus_principals).optional().describe('Its messaging-bus principals.'),
  callback_endpoints: z.array(callback_endpoints).optional().describe('Its callback endpoints.'),
  object_credentials: z
    .array(object_credentials)
    .optional()
    .describe('Its object credentials, without their secret access keys.'),
});

/** A file, or a document of a file. */
export const ConfigurationFile = z.strictObject({
  $schema: z.string().optional().describe('The JSON Schema of this file, for editors.'),
  vendors: z.array(vendorItems).optional().describe('Vendors of the catalog.'),
  tenants: z.array(tenantItems).optional().describe('Tenants of the platform.'),
});

/** The schema of an item of each list: its fields are the ones that a file may give. */
export const items = {
  vendors: vendorItems,
  command_types,
  tenants: tenantItems,
  roles: roleItems,
  credentials: credentialItems,
  role_bindings,
  policies: policyItems,
  bus_principals,
  callback_endpoints,
  callback_subscriptions,
  object_credentials,
  object_resources,
} satisfies Record<ListName, z.ZodObject>;

/** Of the contract, for other programs. */
const NOT_FOR_EDITORS = ['id', 'example', 'moreExamples', 'dependentRequired', 'x-known-values'];

/** The JSON Schema of a file, for editors. */
export function configurationSchema(): object {
  const schema = z.toJSONSchema(ConfigurationFile, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const name of NOT_FOR_EDITORS) delete (jsonSchema as Record<string, unknown>)[name];
    },
  });
  return { title: 'Configuration of a Tenant Open Platform, for topctl apply', ...schema };
}
