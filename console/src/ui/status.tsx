/** Colour says the kind of a status; its name is always there. */
const kinds: Record<string, string> = {
  ACCEPTED: 'open',
  DISPATCHED: 'open',
  SUCCEEDED: 'good',
  CANCELED: 'quiet',
  TIMED_OUT: 'unknown',
};

export function Status({ status }: { status: string }) {
  return (
    <span className="status" data-kind={kinds[status] ?? 'bad'}>
      {status}
    </span>
  );
}
