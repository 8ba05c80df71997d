import { expect, test } from 'vitest';
import { ADMIT_AND_ACCEPT } from './accept-commands.js';

const HEADER = `-- The statement that admits requests and stores their commands, as the platform sends it.
-- Its parts and what goes in and out: server/src/platform/auth/admission.ts, server/src/features/commands/accept-commands.ts
-- To run it in psql: set role top_ingest; prepare admit (text) as <the statement>; execute admit ('[{"position": 0, …}]');
`;

test('drizzle/admit-and-accept.sql shows the statement as psql accepts it; vitest --update refreshes the file', async () => {
  await expect(`${HEADER}${ADMIT_AND_ACCEPT}\n`).toMatchFileSnapshot('../../../drizzle/admit-and-accept.sql');
});
