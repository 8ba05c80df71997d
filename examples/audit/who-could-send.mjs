// node who-could-send.mjs <vendor> [<days> [<last day>]] < entries.ndjson
import { createInterface } from 'node:readline';

const [vendor, days = '7', last = new Date().toISOString().slice(0, 10)] = process.argv.slice(2);
const DAY = 24 * 60 * 60 * 1000;
const entries = [];
for await (const line of createInterface({ input: process.stdin })) entries.push(JSON.parse(line));
const done = entries
  .filter(({ outcome }) => outcome === 'DONE')
  .sort((a, b) => (`${a.occurred_at} ${a.audit_event_id}` < `${b.occurred_at} ${b.audit_event_id}` ? -1 : 1));

const credentials = {}; // client_id: its fields
const roles = {}; // role: its scopes
const bindings = {}; // target: {client_id, role}
const policies = {}; // target: {client_id, scope}
const switches = { tenant: { status: 'ACTIVE' }, vendor: { enabled: true } };

// What the first change of tenant and vendor found there.
const first = (operations, of) => done.find((entry) => operations.test(entry.operation) && of(entry))?.before;
Object.assign(
  switches.tenant,
  first(/^tenants\.update$/, () => true),
);
Object.assign(
  switches.vendor,
  first(/^vendors\.put$/, ({ target }) => target.endsWith(`/vendors/${vendor}`)),
);

function play({ operation, target, after }) {
  const name = target.split('/').at(-1);
  switch (operation) {
    case 'tenants.update':
      return Object.assign(switches.tenant, after);
    case 'vendors.put':
      return name === vendor && Object.assign(switches.vendor, after);
    case 'credentials.create':
    case 'credentials.update':
      credentials[name] = { ...credentials[name], ...after };
      return;
    case 'roles.put':
      roles[name] = after.scopes ?? roles[name];
      return;
    case 'roleBindings.create':
      roles[after.role] = after.scopes;
      bindings[target] = after;
      return;
    case 'roleBindings.delete':
      delete bindings[target];
      return;
    case 'policies.create':
      policies[target] = after;
      return;
    case 'policies.delete':
    case 'policies.revoke':
      delete policies[target];
  }
}

/** The credentials that may send, after the entries replayed so far. */
function senders(at) {
  if (switches.tenant.status !== 'ACTIVE' || !switches.vendor.enabled) return [];
  const granted = [
    ...Object.values(bindings).filter(({ role }) => roles[role].includes('open:command:create')),
    ...Object.values(policies).filter(({ scope }) => scope === 'open:command:create'),
  ];
  return granted
    .map(({ client_id }) => client_id)
    .filter((id) => {
      const { status, expires_at } = credentials[id] ?? {};
      return status === 'ACTIVE' && (!expires_at || Date.parse(expires_at) > at);
    });
}

for (let day = Date.parse(last) - (days - 1) * DAY; day <= Date.parse(last); day += DAY) {
  while (done.length > 0 && Date.parse(done[0].occurred_at) <= day) play(done.shift());
  const found = new Set(senders(day));
  while (done.length > 0 && Date.parse(done[0].occurred_at) < day + DAY) {
    const entry = done.shift();
    play(entry);
    for (const id of senders(Date.parse(entry.occurred_at))) found.add(id);
  }
  console.log(JSON.stringify({ day: new Date(day).toISOString().slice(0, 10), vendor, client_ids: [...found].sort() }));
}
