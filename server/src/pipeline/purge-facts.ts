import { sql } from 'drizzle-orm';
import { purgeByAge } from '../foundation/database/purge-by-age.js';
import { commands, deviceRequests } from './tables.js';

/** Deletes ended commands together with their events. A command with an unpublished event stays. */
export const purgeCommands = (keptDays: number) =>
  purgeByAge({
    id: commands.commandId,
    keptDays,
    async deleteRange(tx, range) {
      const [deleted] = await tx.execute<{ commands: number }>(sql`
        with gone as (
          delete from commands
          where ${range} and completed_at is not null and not exists (
            select from events
            where events.tenant_id = commands.tenant_id and events.command_id = commands.command_id
              and events.seq > (
                select published_seq from slots where slot = tenant_slot_v1(commands.tenant_id)
              )
            offset 0
          )
          returning tenant_id, command_id
        ), gone_events as (
          delete from events where ctid = any (array(
            select of_command.ctid from gone cross join lateral (
              select ctid from events
              where events.tenant_id = gone.tenant_id and events.command_id = gone.command_id
              offset 0
            ) as of_command
          ))
        )
        select count(*)::int as commands from gone`);
      return deleted?.commands ?? 0;
    },
  });

/** Deletes old requests that wait for no reply. */
export const purgeDeviceRequests = (keptDays: number) =>
  purgeByAge({
    id: deviceRequests.deviceRequestId,
    keptDays,
    deleteRange: async (tx, range) =>
      (await tx.execute(sql`delete from device_requests where ${range} and status <> 'PENDING'`)).count,
  });
