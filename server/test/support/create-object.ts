import { type Answer, type Profile, signedRequest } from '@tenant-open-platform/testing';
import { newObjectCredential, newObjectResource } from './new-object.js';

async function create(caller: Profile, target: string, body: object): Promise<Answer['body']> {
  const answer = await signedRequest(caller, 'POST', target, { body });
  if (answer.status !== 201) throw new Error(`POST ${target} answered ${answer.status}: ${answer.raw}`);
  return answer.body;
}

/** The credential_id of an object credential of the caller's tenant. */
export const createObjectCredential = async (caller: Profile, fields: object = {}): Promise<string> =>
  (await create(caller, '/api/v1/open/objects/credentials', newObjectCredential(fields))).credential_id;

/** The resource_id of an object resource with that object credential. */
export const createObjectResource = async (
  caller: Profile,
  credentialId: string,
  fields: object = {},
): Promise<string> =>
  (await create(caller, '/api/v1/open/objects/resources', newObjectResource(credentialId, fields))).resource_id;
