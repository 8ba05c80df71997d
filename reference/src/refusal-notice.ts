import { element } from './element.js';
import { lastSignedRequest, type Refusal } from './signing.js';

/** Why the platform refused the last request. On a phone the response is below the fold, so the page scrolls to it. */
export function refusalNotice() {
  const host = element('section', { className: 'top-card top-refusal', ariaLabel: 'Why the request was refused' });
  let shown: Refusal | null = null;
  const update = () => {
    const refusal = lastSignedRequest()?.refusal ?? null;
    if (refusal === shown) return;
    shown = refusal;
    host.hidden = refusal === null;
    if (!refusal) return;
    host.replaceChildren(
      element('h3', { className: 'top-title', textContent: titleOf(refusal) }),
      element('p', { className: 'top-note', textContent: explanationOf(refusal) }),
      ...(refusal.differences?.length ? [table(refusal.differences)] : []),
    );
    host.scrollIntoView({ block: 'nearest' });
  };
  host.hidden = true;
  return { element: host, update };
}

/** Tells a screen reader about the response. It exists before the response, otherwise nothing is announced. */
export function announcement() {
  const host = element('p', { className: 'top-announcement', role: 'status' });
  const update = () => {
    const { status, refusal } = lastSignedRequest() ?? { status: null, refusal: null };
    const text = refusal ? `${titleOf(refusal)}. ${explanationOf(refusal)}` : `Response: ${status}`;
    host.textContent = status === null ? '' : text;
  };
  return { element: host, update };
}

const titleOf = ({ status, code }: Refusal) => `${status} ${code}`.trim();

function explanationOf({ status, code, message, differences, serverTime }: Refusal): string {
  if (status !== 401) return message;
  if (code === 'CLOCK_SKEW') {
    return `The clock of this computer is wrong: it says ${new Date().toISOString()}, the platform's says ${serverTime}.`;
  }
  if (code === 'NONCE_REUSED') return 'The platform has seen this nonce before. Send the request again.';
  if (!differences) return 'The platform could not read the signature headers. A proxy may have removed them.';
  if (differences.length > 0)
    return 'The platform read these lines in another way, so a proxy has changed the request:';
  return 'You and the platform signed the same seven lines. So the secret is wrong, or the credential does not exist, is disabled or has expired.';
}

const table = (differences: NonNullable<Refusal['differences']>) =>
  element('table', { className: 'top-lines' }, [
    element('thead', {}, [
      element('tr', {}, [
        element('th', { textContent: 'line' }),
        element('th', { textContent: 'this page' }),
        element('th', { textContent: 'the platform' }),
      ]),
    ]),
    element(
      'tbody',
      {},
      differences.map(({ part, yours = '', platforms = '' }) =>
        element('tr', {}, [
          element('th', { textContent: part, scope: 'row' }),
          element('td', { textContent: yours }),
          element('td', { textContent: platforms }),
        ]),
      ),
    ),
  ]);
