import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, type FormEvent, useEffect, useRef, useState } from 'react';
import { texts } from '../app/texts';
import { Problem } from '../ui/problem';
import { type Ending, signIn, useSessionState } from './session';

const notices: Record<Ending, string> = {
  FIRST: '',
  IDLE: texts.signIn.locked,
  REFUSED: texts.signIn.refused,
  BY_READER: texts.signIn.lockedByReader,
};

/** The secret is never in the state of the page: it is read from its field when the reader submits. */
export function SignIn() {
  const { ending, lastClientId } = useSessionState();
  const [clientId, setClientId] = useState(lastClientId);
  const [fileNotice, setFileNotice] = useState('');
  const secret = useRef<HTMLInputElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (ending !== 'FIRST') heading.current?.focus();
  }, [ending]);

  // Without variables: a mutation keeps them.
  const signingIn = useMutation({
    mutationFn: () => signIn(clientId.trim(), secret.current?.value.trim() ?? ''),
    onSettled: () => {
      if (secret.current) secret.current.value = '';
    },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    signingIn.mutate();
  }

  async function readFile({ target }: ChangeEvent<HTMLInputElement>) {
    const file = target.files?.[0];
    const found = credentialOf((await file?.text()) ?? '');
    // The browser would keep its name, and not say that the same file has changed.
    target.value = '';
    setFileNotice(found ? texts.signIn.read(file?.name ?? '') : texts.signIn.notAFile);
    if (!found || !secret.current) return;
    setClientId(found.clientId);
    secret.current.value = found.secret;
    secret.current.focus();
  }

  return (
    <main className="sign-in" id="content">
      <h1 ref={heading} tabIndex={-1}>
        {texts.product} <span className="soft">{texts.console}</span>
      </h1>
      {notices[ending] && <p role="status">{notices[ending]}</p>}
      <form className="card" onSubmit={submit} autoComplete="off">
        <h2>{texts.signIn.title}</h2>
        <label>
          {texts.signIn.clientId}
          <input
            required
            name="client_id"
            autoComplete="off"
            spellCheck={false}
            value={clientId}
            onChange={({ target }) => setClientId(target.value)}
          />
        </label>
        <label>
          {texts.signIn.secret}
          <input required ref={secret} type="password" name="secret" autoComplete="off" spellCheck={false} />
        </label>
        <button type="submit" className="main" disabled={signingIn.isPending}>
          {signingIn.isPending ? texts.signIn.checking : texts.signIn.submit}
        </button>
        <label className="file">
          {texts.signIn.file}
          <input type="file" accept="application/json,.json" onChange={(event) => void readFile(event)} />
          <small>{texts.signIn.fileAbout}</small>
        </label>
        <p role="status">{fileNotice}</p>
        {signingIn.error && <Problem error={signingIn.error} />}
      </form>
      <p className="soft">{texts.signIn.about}</p>
    </main>
  );
}

function credentialOf(text: string): { clientId: string; secret: string } | null {
  try {
    const { client_id: clientId, secret } = JSON.parse(text.replace(/^\uFEFF/, ''));
    return typeof clientId === 'string' && typeof secret === 'string' ? { clientId, secret } : null;
  } catch {
    return null;
  }
}
