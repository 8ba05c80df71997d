import type {
  CommandAccepted,
  CommandFigures,
  CommandGroup,
  Command as CommandRecord,
  CommandSummary,
} from '@tenant-open-platform/sdk';
import type { Command } from 'commander';
import { UnsuccessfulError } from '../errors.js';
import { resendBatch } from '../fleet/resend-batch.js';
import { sendFile } from '../fleet/send-file.js';
import { addResource } from '../input/add-operation.js';
import { flagOf } from '../input/field.js';
import { interruptible } from '../interruptible.js';
import type { Invocation } from '../invocation.js';
import type { View } from '../output/render.js';
import { watchCommands } from './watch-commands.js';

const view: View<CommandRecord> = {
  id: (command) => command.command_id,
  columns: ['command_id', 'vendor', 'device_id', 'command_type', 'status', 'accepted_at'],
};

const acceptedView: View<CommandAccepted> = {
  id: (command) => command.command_id,
  columns: ['command_id', 'status', 'accepted_at'],
};

const summaryView: View<CommandSummary> = {
  id: ({ total }) => String(total),
  columns: ['total', 'counts'],
  details: ({ counts, total }) => ({ ...counts, total }),
};

/** A row for each group, with a column for each status that a command has. */
function groupView({ counts, groups = [] }: CommandSummary): View<CommandGroup> {
  const values = ['vendor', 'adapter_status', 'reason'] as const;
  const grouped = values.filter((name) => groups[0] && name in groups[0]);
  const statuses = Object.entries(counts).flatMap(([status, count]) => (count > 0 ? [status] : []));
  return {
    id: (group) => grouped.map((name) => shownValue(group, name) ?? '-').join(' '),
    columns: [...grouped, 'total', ...(statuses as 'counts'[])],
    row: (group) => ({ ...group, ...group.counts, reason: shownValue(group, 'reason') }),
  };
}

const shownValue = (group: CommandGroup, name: 'vendor' | 'adapter_status' | 'reason') =>
  name === 'reason' && group.other_reasons ? '(other reasons)' : group[name];

type Counted = Pick<CommandFigures, 'counts' | 'total' | 'duration_ms'>;

/** A row for each interval or group, with a column for each status that a command has. */
function figuresView<Row extends Counted>({ counts }: CommandFigures, name: keyof Row & string): View<Row> {
  const statuses = Object.entries(counts).flatMap(([status, count]) => (count > 0 ? [status] : []));
  return {
    id: (row) => String(row[name] ?? '-'),
    columns: [name, 'total', ...([...statuses, 'p50', 'p95', 'p99'] as 'counts'[])],
    row: (row) => ({ ...row, ...row.counts, ...row.duration_ms }),
  };
}

const ofOneCommand = ['vendor', 'device_id', 'command_type'] as const;

const NO_PAYLOAD = '{}';

export function addCommands(program: Command, invocation: Invocation): void {
  const add = addResource(program, invocation, 'commands');

  add('create', {
    summary: 'Send a command to a device.',
    examples: ['topctl commands create --vendor vendor_a --device-id ok-1 --command-type reboot --wait'],
    description:
      'Sends a command to a device. ACCEPTED means that the platform stored it, not that the device executed it. If the idempotency key was used before, the existing command is returned.',
    fields: {
      vendor: { description: 'The vendor (required without --from).', isRequired: false },
      device_id: {
        description: 'Id that the vendor uses for the device (required without --from).',
        isRequired: false,
      },
      command_type: {
        description: 'The command type (required without --from). "topctl catalog get" lists them.',
        isRequired: false,
      },
      payload: {
        description: 'The payload, valid for the payload schema of the command type.',
        default: NO_PAYLOAD,
        isRequired: false,
      },
      idempotency_key: {
        description:
          'A second request with the same key returns the existing command of the tenant. Default: a new key.',
        isRequired: false,
      },
    },
    flags: {
      wait: {
        kind: 'switch',
        description: 'Wait until the command is final and print it. The exit code is 8 if it did not succeed.',
      },
      from: {
        kind: 'path',
        description: 'Send the commands of this file instead, as "topctl commands create-many" does.',
      },
    },
    requires: (input) => ('from' in input ? [] : ofOneCommand),
    check: ({ from, wait: _, payload, ...input }) => {
      const given = Object.keys(String(payload) === NO_PAYLOAD ? input : { ...input, payload });
      if (from === undefined || given.length === 0) return undefined;
      const flags = given.map((name) => flagOf(name, { kind: 'text' }));
      return `with --from, each line of the file is a whole command: remove ${flags.join(', ')}`;
    },
    run: async ({ client, session, input: { wait, from, ...body } }) => {
      if (from !== undefined) return sendFile(invocation, session, { from, wait });
      const noteReplay = () => {
        if (session.isReplay())
          invocation.note('The idempotency key was used before. This is its command; nothing new was sent.');
      };
      if (!wait) {
        await invocation.printItem(await client.commands.create(body), acceptedView);
        return noteReplay();
      }
      let isAccepted = false;
      const onUpdate = (command: CommandRecord) => {
        if (!isAccepted) {
          noteReplay();
          invocation.note(`accepted as ${command.command_id}`);
        }
        isAccepted = true;
        noteState(invocation, command);
      };
      await printOutcome(invocation, (signal) => client.commands.createAndWait(body, { onUpdate, signal }));
    },
  });
  add('createMany', {
    as: 'create-many',
    summary: 'Send the commands of a file.',
    examples: [
      'topctl commands create-many --from commands.ndjson',
      'topctl commands create-many --resend 5f0c1e9a-58a2-5f3e-9d63-0d5a4d9c1b7e',
    ],
    description: `Sends a command for each line of a file. A line is the JSON body of a command: vendor, device_id, command_type, payload, and optionally idempotency_key and timeout_seconds. Each command is accepted or refused separately. stdout gets a line of JSON for each command. A terminal shows only the lines of failed commands.

Run it again after an interruption: no command is created twice. <file>.batch keeps the id of the batch until every command is accepted. If a command has no idempotency_key, the key is derived from this id and the line. With --batch-id or with commands from stdin, topctl does not write this file: give the same --batch-id when you run it again.

Commands that were not accepted are written to <file>.failed, with their keys. The exit code is 8 if a command was not accepted or, with --wait, did not succeed.

--resend sends again what is safe to repeat, because no device has seen it: the EXPIRED commands of a batch, and those whose adapter reported UNREACHABLE. It leaves out the others and says why: the device may have executed a TIMED_OUT command. It asks first. The keys derive from the old commands, so running it again sends nothing twice. It also needs the scope open:command:read, as --wait does.`,
    fields: {
      batch_id: { description: 'The id of the batch, a UUID. Default: the one in <file>.batch, or a new one.' },
      commands: null,
    },
    flags: {
      from: {
        kind: 'path',
        description: 'The file, or - for stdin: a command on each line (required without --resend).',
      },
      resend: {
        kind: 'text',
        placeholder: 'batch_id',
        description: 'Send again the commands of this batch that are safe to repeat, as new commands.',
      },
      wait: { kind: 'switch', description: 'Wait until every command is final, and print each with its outcome.' },
    },
    requires: (input) => ('resend' in input ? [] : ['from']),
    check: ({ from, resend, batch_id }) =>
      resend !== undefined && (from !== undefined || batch_id !== undefined)
        ? '--resend sends the commands of a batch again, as another batch: remove --from and --batch-id'
        : undefined,
    run: ({ session, input: { from = '', resend, batch_id, wait } }) =>
      resend === undefined
        ? sendFile(invocation, session, { from, batch_id, wait })
        : resendBatch(invocation, session, { resend, wait }),
  });
  add('summary', {
    examples: [
      'topctl commands summary --accepted-after 2026-01-31T00:00:00Z',
      'topctl commands summary --group-by vendor,reason -o table',
    ],
    run: async ({ client, input }) => {
      const summary = await client.commands.summary(input);
      const { groups } = summary;
      if (groups) await invocation.printWhole(summary, groups, groupView(summary));
      else await invocation.printItem(summary, summaryView);
    },
  });
  add('figures', {
    examples: ['topctl commands figures --group-by vendor -o table'],
    run: async ({ client, input }) => {
      const figures = await client.commands.figures(input);
      const { groups, points } = figures;
      if (!groups) return invocation.printWhole(figures, points, figuresView(figures, 'at'));
      const named = groups.map((group) =>
        group.is_other ? { ...group, [input.group_by as string]: '(others)' } : group,
      );
      return invocation.printWhole(figures, named, figuresView(figures, input.group_by ?? 'reason'));
    },
  });
  add('get', {
    description: 'Shows a command with its four statuses.',
    fields: {
      seen_updated_at: { description: 'With --wait-seconds: wait until updated_at differs from this instant.' },
    },
    view,
    call: ({ client, path, input }) => client.commands.get(path.command_id, input),
  });
  add('list', {
    examples: [
      'topctl commands list --status FAILED,TIMED_OUT --device-id ok-1 -o id',
      'topctl commands list --reason DEVICE_FAULT --completed-after 2026-01-31T09:30:00Z',
      'topctl commands list --vendor vendor_a --limit 5 --watch',
    ],
    flags: {
      watch: {
        kind: 'switch',
        description:
          'Continue until you stop it: print a line whenever a command is accepted or ends. Also needs the scope open:event:read.',
      },
    },
    check: ({ watch, batch_id }) =>
      watch && batch_id !== undefined
        ? '--watch does not know the batch of a new command: remove --batch-id'
        : undefined,
    run: ({ client, input: { watch, ...filters }, page }) =>
      watch
        ? watchCommands(invocation, client, filters, page)
        : invocation.printItems(client.commands.list(filters), view, page),
  });
  add('get', {
    as: 'wait',
    examples: ['topctl commands wait 019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d --wait-seconds 60'],
    summary: 'Wait for the outcome of a command.',
    description: 'Waits until a command is final and prints it. The exit code is 8 if it did not succeed.',
    only: [],
    flags: {
      wait_seconds: {
        kind: 'integer',
        description: 'How long to wait, in seconds. Default: 330, longer than any command takes.',
      },
    },
    run: ({ client, path, input }) =>
      printOutcome(invocation, (signal) =>
        client.commands.wait(path.command_id, {
          timeoutSeconds: input.wait_seconds,
          signal,
          onUpdate: (command) => noteState(invocation, command),
        }),
      ),
  });
  add('get', {
    as: 'watch',
    summary: 'Print each state of a command until it is final.',
    description:
      'Prints a line for each status and each step of a command as soon as the command has it, until the status is final. The exit code is 8 if the command did not succeed.',
    only: [],
    examples: ['topctl commands watch 019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d'],
    run: async ({ client, path }) => {
      let printed = Promise.resolve();
      const onUpdate = (command: CommandRecord) => {
        printed = printed.then(() => invocation.printLine(command, stateOf(command), view));
      };
      const command = await interruptible(invocation.context, (signal) =>
        client.commands.wait(path.command_id, { signal, onUpdate }),
      );
      await printed;
      if (command.status !== 'SUCCEEDED') throw new UnsuccessfulError(explain(command));
    },
  });
  add('cancel', {
    description: 'Cancels a command that the platform has not dispatched to the adapter yet.',
    view,
    call: ({ client, path }) => client.commands.cancel(path.command_id),
  });
}

/** Prints the outcome of a command: a line in a table, otherwise its record. Fails if the command did not succeed. */
async function printOutcome(
  invocation: Invocation,
  wait: (signal: AbortSignal) => Promise<CommandRecord>,
): Promise<void> {
  const { isWaitTimeoutError } = await import('@tenant-open-platform/sdk');
  const command = await interruptible(invocation.context, wait).catch((error: unknown) => {
    if (isWaitTimeoutError(error) && error.command) return error.command;
    throw error;
  });
  if (invocation.format === 'table' && !invocation.flags.fields) {
    await invocation.printLine(command, outcomeOf(command), view);
  } else await invocation.printItem(command, view);
  if (command.status !== 'SUCCEEDED') throw new UnsuccessfulError(explain(command));
}

/** `topctl commands get` has the other fields. */
const outcomeOf = ({ command_id, status, device_id, command_type, result, ...at }: CommandRecord) => [
  command_id,
  status,
  device_id,
  command_type,
  ...(at.completed_at ? [`${(Date.parse(at.completed_at) - Date.parse(at.accepted_at)) / 1_000} s`] : []),
  ...(result ? [JSON.stringify(result)] : []),
];

const stateOf = ({ updated_at, status, adapter_status, device_execution_status, progress }: CommandRecord) => [
  updated_at,
  status,
  `adapter ${adapter_status}`,
  `device ${device_execution_status}`,
  ...(progress ? [`step ${progress.step} of ${progress.of}`] : []),
];

const noteState = (invocation: Invocation, command: CommandRecord) => invocation.note(stateOf(command).join('  '));

function explain({ command_id, status, completed_at, status_reason }: CommandRecord): string {
  if (completed_at === null) return `${status} is not final; to keep waiting: topctl commands wait ${command_id}`;
  return `the command ended as ${status}${status_reason ? `: ${status_reason.message} (${status_reason.code})` : ''}`;
}
