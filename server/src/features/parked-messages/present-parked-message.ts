import type { ParkedMessageKind } from '@tenant-open-platform/contract';
import { readSubject, type SubjectKind } from '@tenant-open-platform/contract/bus';
import type { z } from 'zod';
import { parkedMessages } from '../../platform/bus/parked-messages.table.js';
import type { Call } from '../../platform/operation/call.js';
import { presenter } from '../../platform/operation/presenter.js';

export type Kind = z.infer<typeof ParkedMessageKind>;

/** What a subject calls each kind. */
export const subjectKinds: Record<Kind, SubjectKind> = {
  COMMAND: 'commands',
  COMMAND_UPDATE: 'command-updates',
  DEVICE_REQUEST: 'device-requests',
  DEVICE_REPLY: 'device-replies',
  EVENT: 'events',
};

const kinds = new Map(Object.entries(subjectKinds).map(([kind, name]) => [name, kind as Kind]));

type Row = Omit<typeof parkedMessages.$inferSelect, 'body'>;

/** Its subject is one of the platform, and a command is none: the caller was told that it FAILED. */
export function canRetry({ subject, isWhole }: Pick<Row, 'subject' | 'isWhole'>): boolean {
  const kind = readSubject(subject)?.kind;
  return isWhole && kind !== undefined && kind !== 'commands';
}

const present = presenter(parkedMessages, 'isWhole');

export function presentParkedMessage(row: Row, call: Call) {
  const read = readSubject(row.subject);
  const kind = (read && kinds.get(read.kind)) ?? null;
  const vendor = kind === 'EVENT' ? null : (read?.name ?? null);
  return { ...present(row, call), kind, vendor, can_retry: canRetry(row) };
}
