import { isSafeToRepeat } from '@tenant-open-platform/contract/facts';
import type { Command } from '../src/index.js';

/** What a device wrote down. Only with DONE and FAILED it has begun the command. */
export interface Execution {
  command_id: string;
  device_id: string;
  begun_at: string;
  ended_at: string;
  answer: 'DONE' | 'FAILED' | 'REFUSED' | 'OFFLINE';
}

/** The parts of a record that say something about the device. */
export type Told = Pick<
  Command,
  'status' | 'device_execution_status' | 'public_status' | 'status_reason' | 'late_result' | 'history'
>;

/** The code with which an adapter ends a command that a device may have got twice. */
const MARK = 'SENT_TWICE';

interface Seen {
  answers: Set<Execution['answer']>;
  begun: number;
}

interface Claim {
  says: string;
  isSaid: (told: Told) => boolean;
  isTrue: (seen: Seen) => boolean;
}

const ofDevice = ({ device_execution_status, late_result }: Told) => [
  device_execution_status,
  late_result?.device_execution_status,
];

/** What an ended record can say of its device, and what the device must have written down then. */
const CLAIMS: Claim[] = [
  {
    says: 'SUCCEEDED',
    isSaid: (told) => told.status === 'SUCCEEDED' || ofDevice(told).includes('SUCCEEDED'),
    isTrue: ({ answers }) => answers.has('DONE'),
  },
  {
    says: 'FAILED on the device',
    isSaid: (told) => ofDevice(told).includes('FAILED'),
    isTrue: ({ answers }) => answers.has('FAILED'),
  },
  {
    says: 'REJECTED by the device',
    isSaid: (told) => ofDevice(told).includes('REJECTED'),
    isTrue: ({ answers, begun }) => answers.has('REFUSED') && begun === 0,
  },
  {
    says: 'not started',
    isSaid: ({ device_execution_status }) => device_execution_status === 'NOT_STARTED',
    isTrue: ({ begun }) => begun === 0,
  },
  { says: 'safe to repeat', isSaid: isSafeToRepeat, isTrue: ({ begun }) => begun === 0 },
  {
    says: 'may have been executed',
    isSaid: ({ public_status }) => public_status === 'UNKNOWN',
    isTrue: () => true,
  },
];

/** What the record of an ended command says although it is not so. */
export function liesIn(told: Told, executions: readonly Execution[]): string[] {
  const seen = seenIn(executions);
  const said = CLAIMS.filter(({ isSaid }) => isSaid(told));
  const lies = said.filter(({ isTrue }) => !isTrue(seen)).map(({ says }) => says);
  if (told.public_status === 'PENDING') lies.push('not ended');
  else if (said.length === 0) lies.push('says nothing of the device');
  if (seen.begun > 1 && !isMarked(told)) lies.push('executed twice, and not marked');
  return lies;
}

/** The caller reads that the device may have executed the command, and it never began. */
export const isNeedlesslyUnknown = (told: Told, executions: readonly Execution[]): boolean =>
  told.public_status === 'UNKNOWN' && !isSafeToRepeat(told) && seenIn(executions).begun === 0;

function seenIn(executions: readonly Execution[]): Seen {
  const answers = executions.map(({ answer }) => answer);
  const begun = answers.filter((answer) => answer === 'DONE' || answer === 'FAILED').length;
  return { answers: new Set(answers), begun };
}

const isMarked = ({ status_reason, late_result, history }: Told) =>
  [status_reason, late_result?.status_reason, ...history.map(({ reason }) => reason)].some(
    (reason) => reason?.code === MARK,
  );
