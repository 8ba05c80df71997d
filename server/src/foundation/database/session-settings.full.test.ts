import { signedRequest, startNode, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, test } from 'vitest';
import { COMMANDS } from '../../../test/support/commands.js';
import { isAccepted, isRead, isStalled, startLoad } from '../../../test/support/load.js';
import { openSession } from '../../../test/support/open-pool.js';

const hostile = {
  default_transaction_isolation: 'serializable',
  default_transaction_read_only: 'on',
  default_transaction_deferrable: 'on',
  datestyle: 'SQL, DMY',
  intervalstyle: 'sql_standard',
  timezone: 'Asia/Kathmandu',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  standard_conforming_strings: 'off',
  search_path: 'elsewhere',
  row_security: 'off',
  lock_timeout: '1ms',
  statement_timeout: '1ms',
  client_encoding: 'LATIN1',
};

const database = await ownPostgres();
const superuser = openSession(database.superuserUrl);
const [since17] = await superuser`select from pg_settings where name = 'transaction_timeout'`;
for (const [name, value] of Object.entries({ ...hostile, ...(since17 && { transaction_timeout: '1ms' }) })) {
  await superuser.unsafe(`alter database platform set ${name} = '${value}'`);
  await superuser.unsafe(`alter role platform set ${name} = '${value}'`);
}
await superuser.end();
const environment = { ...unlimited, DATABASE_URL: database.url, DATA_DIR: temporaryFolder() };
let server = await startNode(environment);

test('hostile settings of the database and its user change nothing, even after a restart', async () => {
  const { demo } = server;
  const load = startLoad(demo, () => server.baseUrl);
  await Promise.all([load.seen(500, isAccepted), load.seen(100, isRead)]);
  const served = (await load.stop()).filter((done) => !isStalled(done));
  const answers = served.map(({ kind, answer }) => `${kind} ${answer?.status}`);
  expect(new Set(answers)).toEqual(new Set(['write 202', 'read 200', 'forged 401']));

  const { body } = await signedRequest(demo, 'GET', `${COMMANDS}?limit=1`, { node: server.baseUrl });
  expect(body.items[0].accepted_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect(Math.abs(Date.parse(body.items[0].accepted_at) - Date.now())).toBeLessThan(60_000);

  await server.stop();
  server = await startNode(environment);
  const again = await signedRequest(demo, 'GET', `${COMMANDS}?limit=1`, { node: server.baseUrl });
  expect(again.body.items).toHaveLength(1);
});
