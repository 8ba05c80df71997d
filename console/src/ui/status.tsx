/** Colour says the kind of a status; its name is always there. */
const kinds: Record<string, string> = {
  ACCEPTED: 'open',
  DISPATCHED: 'open',
  PENDING: 'open',
  SUCCEEDED: 'good',
  REPLIED: 'good',
  ACTIVE: 'good',
  CANCELED: 'quiet',
  TIMED_OUT: 'unknown',
};

export const kindOf = (status: string) => kinds[status] ?? 'bad';

export function Status({ status }: { status: string }) {
  return (
    <span className="status" data-kind={kindOf(status)}>
      {status}
    </span>
  );
}
