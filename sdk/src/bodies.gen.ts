// Generated from contract/openapi.json by `pnpm golden`.
import type { Operations } from './api.gen.js';
import type { Schema } from './json-schema.js';

type Name = keyof Operations;

/** The schema of the body, and whether the operation demands one. */
export const bodies: { readonly [N in Name]?: readonly [schema: string, isRequired: boolean] } = {
  'commands.create': ['CommandCreate', true],
  'commands.createMany': ['CommandBatchCreate', true],
  'commands.cancel': ['CommandCancel', false],
  'deviceRequests.reply': ['DeviceRequestReply', true],
  'objects.presign': ['PresignRequest', true],
  'objectCredentials.create': ['ObjectCredentialCreate', true],
  'objectCredentials.update': ['ObjectCredentialUpdate', true],
  'objectResources.create': ['ObjectResourceCreate', true],
  'objectResources.update': ['ObjectResourceUpdate', true],
  'callbackEndpoints.create': ['CallbackEndpointCreate', true],
  'callbackEndpoints.update': ['CallbackEndpointUpdate', true],
  'callbackSubscriptions.create': ['CallbackSubscriptionCreate', true],
  'callbackSubscriptions.update': ['CallbackSubscriptionUpdate', true],
  'tenants.create': ['TenantCreate', true],
  'tenants.update': ['TenantUpdate', true],
  'credentials.create': ['CredentialCreate', true],
  'credentials.update': ['CredentialUpdate', true],
  'roles.put': ['RolePut', true],
  'roleBindings.create': ['RoleBindingCreate', true],
  'policies.create': ['PolicyCreate', true],
  'busPrincipals.create': ['BusPrincipalCreate', true],
  'busPrincipals.update': ['BusPrincipalUpdate', true],
  'vendors.put': ['VendorPut', true],
  'commandTypes.put': ['CommandTypePut', true],
  'parkedMessages.retry': ['ParkedMessageRetry', false],
};

/** The operations that answer pages. */
export const lists: readonly Name[] = [
  'commands.list',
  'deviceRequests.list',
  'events.list',
  'objectCredentials.list',
  'objectResources.list',
  'callbackEndpoints.list',
  'callbackSubscriptions.list',
  'tenants.list',
  'tenants.export',
  'credentials.list',
  'roles.list',
  'roleBindings.list',
  'policies.list',
  'access.list',
  'busPrincipals.list',
  'vendors.list',
  'commandTypes.list',
  'auditEvents.list',
  'parkedMessages.list',
];

export const schemas: Readonly<Record<string, Schema>> = {
  CommandCreate: {
"type": "object",
"properties": {
"vendor": {"type":"string","pattern":"^[a-z0-9][a-z0-9_-]{0,62}$"},
"device_id": {"type":"string","minLength":1,"maxLength":128},
"command_type": {"type":"string","pattern":"^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$"},
"payload": {"type":"object","additionalProperties":true},
"idempotency_key": {"type":"string","pattern":"^[\\x21-\\x7E]{1,128}$"},
"timeout_seconds": {"type":"integer","minimum":1,"maximum":300},
},
"required": ["vendor","device_id","command_type","payload","idempotency_key"],
"additionalProperties": false,
},
  CommandBatchCreate: {
"type": "object",
"properties": {
"batch_id": {"type":"string","format":"uuid"},
"commands": {"minItems":1,"maxItems":500,"type":"array","items":{"$ref":"#/components/schemas/CommandCreate"}},
},
"required": ["commands"],
"additionalProperties": false,
},
  CommandCancel: {
"type": "object",
"properties": {

},
"additionalProperties": false,
},
  DeviceRequestReply: {
"type": "object",
"properties": {
"outcome": {"$ref":"#/components/schemas/ReplyOutcomeInput"},
"payload": {"type":"object","additionalProperties":true},
"error": {"type":"object","properties":{"code":{"type":"string","minLength":1,"maxLength":128},"message":{"type":"string","maxLength":1024}},"required":["code","message"],"additionalProperties":false},
},
"required": ["outcome"],
"additionalProperties": false,
},
  ReplyOutcomeInput: {
"type": "string",
"enum": ["SUCCESS","ERROR"],
},
  PresignRequest: {
"type": "object",
"properties": {
"operation": {"$ref":"#/components/schemas/ObjectOperationInput"},
"resource_id": {"type":"string","format":"uuid"},
"object_key": {"type":"string","minLength":1,"maxLength":1024},
"expires_in_seconds": {"type":"integer","minimum":1,"maximum":604800},
"content_type": {"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}(; ?[A-Za-z0-9-]{1,64}=([A-Za-z0-9!#$&^_.+-]{1,128}|\"([\\x20!#-[\\]-~]|\\\\[\\x20-~]){0,128}\")){0,4}$"},
"content_length": {"type":"integer","minimum":0,"maximum":5368709120,"format":"int64"},
"checksum_sha256": {"type":"string","pattern":"^[A-Za-z0-9+/]{43}=$"},
"response_content_disposition": {"type":"string","pattern":"^[\\x20-\\x7E]{1,512}$"},
},
"required": ["operation","resource_id","object_key"],
"additionalProperties": false,
},
  ObjectOperationInput: {
"type": "string",
"enum": ["UPLOAD","DOWNLOAD"],
},
  ObjectCredentialCreate: {
"type": "object",
"properties": {
"name": {"type":"string","minLength":1,"maxLength":128},
"endpoint": {"type":"string","minLength":1,"maxLength":2048},
"region": {"type":"string","pattern":"^[a-z0-9-]{1,64}$"},
"access_key_id": {"type":"string","pattern":"^[\\x21-\\x7E]{1,128}$"},
"secret_access_key": {"type":"string","pattern":"^[\\x21-\\x7E]{1,256}$"},
"session_token": {"type":["string","null"],"pattern":"^[\\x21-\\x7E]{1,4096}$"},
"provider": {"type":["string","null"],"minLength":1,"maxLength":128},
"force_path_style": {"type":"boolean"},
"status": {"$ref":"#/components/schemas/ObjectConfigStatusInput"},
},
"required": ["name","endpoint","region","access_key_id","secret_access_key"],
"additionalProperties": false,
},
  ObjectConfigStatusInput: {
"type": "string",
"enum": ["ACTIVE","DISABLED"],
},
  ObjectCredentialUpdate: {
"type": "object",
"properties": {
"name": {"type":"string","minLength":1,"maxLength":128},
"endpoint": {"type":"string","minLength":1,"maxLength":2048},
"region": {"type":"string","pattern":"^[a-z0-9-]{1,64}$"},
"access_key_id": {"type":"string","pattern":"^[\\x21-\\x7E]{1,128}$"},
"secret_access_key": {"type":"string","pattern":"^[\\x21-\\x7E]{1,256}$"},
"session_token": {"type":["string","null"],"pattern":"^[\\x21-\\x7E]{1,4096}$"},
"provider": {"type":["string","null"],"minLength":1,"maxLength":128},
"force_path_style": {"type":"boolean"},
"status": {"$ref":"#/components/schemas/ObjectConfigStatusInput"},
},
"additionalProperties": false,
"dependentRequired": {"access_key_id":["secret_access_key"],"secret_access_key":["access_key_id"]},
},
  ObjectResourceCreate: {
"type": "object",
"properties": {
"name": {"type":"string","minLength":1,"maxLength":128},
"credential_id": {"type":"string","format":"uuid"},
"bucket": {"type":"string","pattern":"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$"},
"allowed_operations": {"minItems":1,"maxItems":2,"type":"array","items":{"$ref":"#/components/schemas/ObjectOperationInput"},"uniqueItems":true},
"key_prefix": {"type":"string","maxLength":512},
"allowed_content_types": {"minItems":1,"maxItems":50,"type":["array","null"],"items":{"type":"string","pattern":"^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/(\\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$"}},
"max_object_bytes": {"type":"integer","minimum":1,"maximum":5368709120,"format":"int64"},
"max_expires_in_seconds": {"type":"integer","minimum":1,"maximum":604800},
"status": {"$ref":"#/components/schemas/ObjectConfigStatusInput"},
},
"required": ["name","credential_id","bucket","allowed_operations"],
"additionalProperties": false,
},
  ObjectResourceUpdate: {
"type": "object",
"properties": {
"name": {"type":"string","minLength":1,"maxLength":128},
"credential_id": {"type":"string","format":"uuid"},
"bucket": {"type":"string","pattern":"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$"},
"allowed_operations": {"minItems":1,"maxItems":2,"type":"array","items":{"$ref":"#/components/schemas/ObjectOperationInput"},"uniqueItems":true},
"key_prefix": {"type":"string","maxLength":512},
"allowed_content_types": {"minItems":1,"maxItems":50,"type":["array","null"],"items":{"type":"string","pattern":"^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/(\\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$"}},
"max_object_bytes": {"type":"integer","minimum":1,"maximum":5368709120,"format":"int64"},
"max_expires_in_seconds": {"type":"integer","minimum":1,"maximum":604800},
"status": {"$ref":"#/components/schemas/ObjectConfigStatusInput"},
},
"additionalProperties": false,
},
  CallbackEndpointCreate: {
"type": "object",
"properties": {
"name": {"type":"string","minLength":1,"maxLength":128},
"url": {"type":"string","minLength":1,"maxLength":2048},
"status": {"$ref":"#/components/schemas/CallbackEndpointStatusInput"},
"timeout_seconds": {"type":"integer","minimum":1,"maximum":30},
"max_attempts": {"type":"integer","minimum":1,"maximum":20},
},
"required": ["name","url"],
"additionalProperties": false,
},
  CallbackEndpointStatusInput: {
"type": "string",
"enum": ["ACTIVE","DISABLED"],
},
  CallbackEndpointUpdate: {
"type": "object",
"properties": {
"name": {"type":"string","minLength":1,"maxLength":128},
"url": {"type":"string","minLength":1,"maxLength":2048},
"status": {"$ref":"#/components/schemas/CallbackEndpointStatusInput"},
"timeout_seconds": {"type":"integer","minimum":1,"maximum":30},
"max_attempts": {"type":"integer","minimum":1,"maximum":20},
"rotate_secret": {"type":"boolean"},
"previous_secret_ttl_seconds": {"type":"integer","minimum":0,"maximum":604800},
},
"additionalProperties": false,
"dependentRequired": {"previous_secret_ttl_seconds":["rotate_secret"]},
},
  CallbackSubscriptionCreate: {
"type": "object",
"properties": {
"event_type": {"type":"string","pattern":"^[\\x21-\\x7E]{1,128}$"},
"status": {"$ref":"#/components/schemas/CallbackSubscriptionStatusInput"},
},
"required": ["event_type"],
"additionalProperties": false,
},
  CallbackSubscriptionStatusInput: {
"type": "string",
"enum": ["ACTIVE","DISABLED"],
},
  CallbackSubscriptionUpdate: {
"type": "object",
"properties": {
"status": {"$ref":"#/components/schemas/CallbackSubscriptionStatusInput"},
},
"required": ["status"],
"additionalProperties": false,
},
  TenantCreate: {
"type": "object",
"properties": {
"tenant_id": {"type":"string","pattern":"^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$"},
"name": {"type":"string","minLength":1,"maxLength":128},
"status": {"$ref":"#/components/schemas/TenantStatusToSetInput"},
"vendors": {"minItems":1,"maxItems":100,"type":["array","null"],"items":{"type":"string","pattern":"^[a-z0-9][a-z0-9_-]{0,62}$"}},
"requests_per_minute": {"type":["integer","null"],"minimum":1,"maximum":1000000000},
},
"required": ["tenant_id","name"],
"additionalProperties": false,
},
  TenantStatusToSetInput: {
"type": "string",
"enum": ["ACTIVE","DISABLED"],
},
  TenantUpdate: {
"type": "object",
"properties": {
"name": {"type":"string","minLength":1,"maxLength":128},
"status": {"$ref":"#/components/schemas/TenantStatusToSetInput"},
"vendors": {"minItems":1,"maxItems":100,"type":["array","null"],"items":{"type":"string","pattern":"^[a-z0-9][a-z0-9_-]{0,62}$"}},
"requests_per_minute": {"type":["integer","null"],"minimum":1,"maximum":1000000000},
},
"additionalProperties": false,
},
  CredentialCreate: {
"type": "object",
"properties": {
"client_id": {"type":"string","pattern":"^[A-Za-z0-9_][A-Za-z0-9._~-]{0,63}$"},
"name": {"type":"string","minLength":1,"maxLength":128},
"status": {"$ref":"#/components/schemas/CredentialStatusInput"},
"allowed_clock_skew_seconds": {"type":"integer","minimum":30,"maximum":900},
"replay_window_seconds": {"type":"integer","minimum":30,"maximum":900},
"requests_per_minute": {"type":["integer","null"],"minimum":1,"maximum":1000000000},
"expires_at": {"type":["string","null"],"format":"date-time"},
"rotate_secret": {"type":"boolean"},
"previous_secret_ttl_seconds": {"type":"integer","minimum":0,"maximum":604800},
},
"required": ["client_id","name"],
"additionalProperties": false,
"dependentRequired": {"previous_secret_ttl_seconds":["rotate_secret"]},
},
  CredentialStatusInput: {
"type": "string",
"enum": ["ACTIVE","DISABLED","DELETED"],
},
  CredentialUpdate: {
"type": "object",
"properties": {
"name": {"type":"string","minLength":1,"maxLength":128},
"status": {"$ref":"#/components/schemas/CredentialStatusInput"},
"allowed_clock_skew_seconds": {"type":"integer","minimum":30,"maximum":900},
"replay_window_seconds": {"type":"integer","minimum":30,"maximum":900},
"requests_per_minute": {"type":["integer","null"],"minimum":1,"maximum":1000000000},
"expires_at": {"type":["string","null"],"format":"date-time"},
"rotate_secret": {"type":"boolean"},
"previous_secret_ttl_seconds": {"type":"integer","minimum":0,"maximum":604800},
},
"additionalProperties": false,
},
  RolePut: {
"type": "object",
"properties": {
"scopes": {"maxItems":38,"type":"array","items":{"type":"string","pattern":"^[a-z-]{1,32}(:[a-z-]{1,32}){1,3}$"},"uniqueItems":true},
},
"required": ["scopes"],
"additionalProperties": false,
},
  RoleBindingCreate: {
"type": "object",
"properties": {
"client_id": {"type":"string","pattern":"^[A-Za-z0-9_][A-Za-z0-9._~-]{0,63}$"},
"role": {"type":"string","pattern":"^[a-z0-9][a-z0-9_-]{0,62}$"},
},
"required": ["client_id","role"],
"additionalProperties": false,
},
  PolicyCreate: {
"type": "object",
"properties": {
"client_id": {"type":"string","pattern":"^[A-Za-z0-9_][A-Za-z0-9._~-]{0,63}$"},
"scope": {"type":"string","pattern":"^[a-z-]{1,32}(:[a-z-]{1,32}){1,3}$"},
},
"required": ["client_id","scope"],
"additionalProperties": false,
},
  BusPrincipalCreate: {
"type": "object",
"properties": {
"bus_user": {"type":"string","pattern":"^[\\x21-\\x7E]{1,128}$"},
"bus_account_public_key": {"type":"string","minLength":1,"maxLength":256},
"bus_user_public_key": {"type":"string","minLength":1,"maxLength":256},
"principal_type": {"$ref":"#/components/schemas/BusPrincipalTypeInput"},
"client_id": {"type":"string","pattern":"^[A-Za-z0-9_][A-Za-z0-9._~-]{0,63}$"},
"service_name": {"type":"string","pattern":"^[\\x21-\\x7E]{1,128}$"},
"vendors": {"minItems":1,"maxItems":100,"type":["array","null"],"items":{"type":"string","pattern":"^[a-z0-9][a-z0-9_-]{0,62}$"}},
"status": {"$ref":"#/components/schemas/BusPrincipalStatusInput"},
"expires_at": {"type":["string","null"],"format":"date-time"},
},
"required": ["bus_user","bus_account_public_key","bus_user_public_key","principal_type"],
"additionalProperties": false,
},
  BusPrincipalTypeInput: {
"type": "string",
"enum": ["SERVICE","CLIENT"],
},
  BusPrincipalStatusInput: {
"type": "string",
"enum": ["ACTIVE","DISABLED","DELETED"],
},
  BusPrincipalUpdate: {
"type": "object",
"properties": {
"status": {"$ref":"#/components/schemas/BusPrincipalStatusInput"},
"vendors": {"minItems":1,"maxItems":100,"type":["array","null"],"items":{"type":"string","pattern":"^[a-z0-9][a-z0-9_-]{0,62}$"}},
"expires_at": {"type":["string","null"],"format":"date-time"},
},
"additionalProperties": false,
},
  VendorPut: {
"type": "object",
"properties": {
"enabled": {"type":"boolean"},
},
"required": ["enabled"],
"additionalProperties": false,
},
  CommandTypePut: {
"type": "object",
"properties": {
"enabled": {"type":"boolean"},
"description": {"type":"string","minLength":1,"maxLength":1000},
"payload_schema": {"type":"object","additionalProperties":true},
},
"additionalProperties": false,
},
  ParkedMessageRetry: {
"type": "object",
"properties": {

},
"additionalProperties": false,
},
};
