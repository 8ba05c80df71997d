import { Link, Outlet, useLocation, useMatches } from '@tanstack/react-router';
import { useEffect } from 'react';
import { baseUrl, endSession, type Session, useSessionState } from '../session/session';
import { SignIn } from '../session/sign-in';
import { useIdleLock } from '../session/use-idle-lock';
import { Foreign } from '../ui/foreign';
import { timeZone } from '../ui/time';
import { texts } from './texts';

export function Shell() {
  const { session } = useSessionState();
  const title = useMatches().at(-1)?.staticData.title;
  useEffect(() => {
    document.title = [session ? title : texts.signIn.title, texts.console, texts.product].filter(Boolean).join(' · ');
  }, [session, title]);
  return session ? <SignedIn session={session} /> : <SignIn />;
}

function SignedIn({ session: { me } }: { session: Session }) {
  useIdleLock();
  const isBatch = useLocation({ select: ({ pathname }) => pathname.startsWith('/fleet/') });
  return (
    <>
      <button type="button" className="skip" onClick={skip}>
        {texts.skip}
      </button>
      <header>
        <span className="product">{texts.console}</span>
        <nav aria-label={texts.shell.pages}>
          <Link to="/" activeOptions={{ exact: true }}>
            {texts.overview.title}
          </Link>
          <Link to="/commands" {...(isBatch && { className: 'active', 'aria-current': 'true' })}>
            {texts.commands.title}
          </Link>
          <Link to="/send">{texts.send.title}</Link>
          <Link to="/events">{texts.events.title}</Link>
          <Link to="/device-requests">{texts.deviceRequests.title}</Link>
          <Link to="/parked-messages">{texts.parked.title}</Link>
          <Link to="/access">{texts.access.title}</Link>
          <Link to="/audit">{texts.audit.title}</Link>
        </nav>
        <span className="who">
          <Foreign text={me.client_id} /> <span className="soft">@</span> <Foreign text={me.tenant_id} />
        </span>
        <small>{texts.shell.times(timeZone)}</small>
        <a href={`${baseUrl}/docs`}>{texts.shell.reference}</a>
        <button type="button" title={texts.shell.lockAbout} onClick={() => endSession('BY_READER')}>
          {texts.shell.lock}
        </button>
      </header>
      <main id="content" tabIndex={-1}>
        <Outlet />
      </main>
    </>
  );
}

/** No link: what is behind # in the address is the page. */
const skip = () => document.getElementById('content')?.focus();
