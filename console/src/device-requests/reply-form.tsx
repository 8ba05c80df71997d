import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { DeviceRequest, DeviceRequestReply } from '@tenant-open-platform/sdk';
import { type FormEvent, useState } from 'react';
import { texts } from '../app/texts';
import { useSession } from '../session/session';
import { Problem } from '../ui/problem';

export function ReplyForm({ request: { device_request_id: id } }: { request: DeviceRequest }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [outcome, setOutcome] = useState<DeviceRequestReply['outcome']>('SUCCESS');
  const [isNoObject, setIsNoObject] = useState(false);
  const replying = useMutation({
    mutationFn: async (reply: DeviceRequestReply) => client.deviceRequests.reply(id, reply),
    onSuccess: (replied) => {
      queries.setQueryData(['device-request', id], replied);
      return queries.invalidateQueries({ queryKey: ['device-requests'] });
    },
    // Somebody else may have replied.
    onError: () => queries.invalidateQueries({ queryKey: ['device-request', id] }),
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    const payload = objectOf(given.payload ?? '');
    setIsNoObject(payload === null);
    if (payload === null) return;
    const { code = '', message = '' } = given;
    replying.mutate({ outcome, ...(payload && { payload }), ...(code && { error: { code, message } }) });
  }

  return (
    <form className="card form" onSubmit={submit}>
      <label>
        {texts.deviceRequests.outcome}
        <select value={outcome} onChange={({ target }) => setOutcome(target.value as typeof outcome)}>
          <option>SUCCESS</option>
          <option>ERROR</option>
        </select>
      </label>
      <label>
        {texts.deviceRequests.data}
        <textarea name="payload" rows={5} spellCheck={false} aria-invalid={isNoObject} />
      </label>
      {isNoObject && <p role="alert">{texts.deviceRequests.notAnObject}</p>}
      {outcome === 'ERROR' && (
        <>
          <label>
            {texts.deviceRequests.code}
            <input name="code" maxLength={128} />
          </label>
          <label>
            {texts.deviceRequests.message}
            <input name="message" maxLength={1024} />
          </label>
        </>
      )}
      {replying.error && <Problem error={replying.error} />}
      <p className="soft">{texts.deviceRequests.once}</p>
      <button type="submit" className="main" disabled={replying.isPending}>
        {texts.deviceRequests.send}
      </button>
    </form>
  );
}

/** Undefined if nothing was written, null if it is no object. */
function objectOf(text: string): Record<string, unknown> | null | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
