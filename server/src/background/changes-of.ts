import type { Database } from '../platform/database/database.js';
import { asAllTenantsStatement } from '../platform/database/roles.js';
import type { ChangesOf } from '../platform/signals/wait-for.js';

/**
 * When the topics of waiting requests last changed: one statement over the tenants of all of them. A reply to a device
 * request does not count: a list of replied requests that misses its signal is answered at the end of its wait.
 */
export const changesOf =
  (database: Database): ChangesOf =>
  async (topics) => {
    const rows = await asAllTenantsStatement<{ topic: string; changed_at: Date }>(database)`
      select topic, case kind
        when 'command' then
          (select updated_at from commands c where c.tenant_id = t.tenant_id and c.command_id = t.id::uuid)
        when 'events' then
          (select logged_at from events e where e.tenant_id = t.tenant_id order by seq desc limit 1)
        when 'device-requests' then
          (select received_at from device_requests d where d.tenant_id = t.tenant_id
           order by device_request_id desc limit 1)
      end as changed_at
      from (
        select topic, split_part(topic, ' ', 1) as kind, split_part(topic, ' ', 2) as tenant_id,
               split_part(topic, ' ', 3) as id
        from json_array_elements_text(${JSON.stringify(topics)}::text::json) topic
      ) t`;
    return new Map(rows.map(({ topic, changed_at }) => [topic, new Date(changed_at)]));
  };
