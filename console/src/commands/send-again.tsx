import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Command } from '@tenant-open-platform/sdk';
import { useState } from 'react';
import { texts } from '../app/texts';
import { isOpen } from '../send/sending';
import { useSession } from '../session/session';
import { Dialog } from '../ui/dialog';
import { Json } from '../ui/foreign';
import { Problem } from '../ui/problem';

/** The same request under a new key, which the reader sees first. */
export function SendAgain({ command }: { command: Command }) {
  const { client, me } = useSession();
  const navigate = useNavigate();
  const [isShown, setIsShown] = useState(false);
  const [key, setKey] = useState('');
  const { vendor, device_id, command_type, payload, timeout_seconds } = command;
  const body = { vendor, device_id, command_type, payload, timeout_seconds, idempotency_key: key };
  const sending = useMutation({
    mutationFn: () => client.commands.create(body),
    onSuccess: ({ command_id }) => {
      setKey('');
      setIsShown(false);
      return navigate({ to: '/commands/$commandId', params: { commandId: command_id } });
    },
  });

  if (!me.scopes.includes('open:command:create')) return null;

  function show() {
    // The answer may be lost: with the same key nothing is created twice.
    if (!key || !isOpen(sending.error)) {
      setKey(crypto.randomUUID());
      sending.reset();
    }
    setIsShown(true);
  }

  const send = (
    <button type="button" className="main" disabled={sending.isPending} onClick={() => sending.mutate()}>
      {texts.commands.send}
    </button>
  );
  return (
    <>
      <button type="button" onClick={show}>
        {texts.commands.again}
      </button>
      {isShown && (
        <Dialog
          title={texts.commands.again}
          close={texts.commands.close}
          actions={send}
          onClose={() => setIsShown(false)}
        >
          <p>{texts.commands.againAbout}</p>
          <Json value={body} label={texts.commands.again} />
          {sending.error && <Problem error={sending.error} />}
        </Dialog>
      )}
    </>
  );
}
