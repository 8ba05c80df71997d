import { element } from './element.js';
import { lastSignedRequest } from './signing.js';

const parts = ['algorithm', 'method', 'target', 'client_id', 'timestamp', 'nonce', 'body_sha256'] as const;

/** The four headers that the page added to the last request: Scalar's own list does not have them. */
export function signedHeaders() {
  const host = element('section', { className: 'top-card', ariaLabel: 'Signed headers' });
  const update = () => {
    const signed = lastSignedRequest();
    host.hidden = signed === null;
    const rows = Object.entries(signed?.headers ?? {}).map(([name, value]) => line(name, value, false));
    host.replaceChildren(title('Headers that the page added'), table(rows));
  };
  return { element: host, update };
}

/** The seven lines that the last request signed. */
export function signedText() {
  const host = element('section', { className: 'top-card', ariaLabel: 'String to sign' });
  const update = () => {
    const signed = lastSignedRequest();
    host.hidden = signed === null;
    if (!signed) return;
    const lines = signed.stringToSign.split('\n');
    const wrong = new Set(signed.refusal?.differences?.map(({ part }) => part));
    const rows = parts.map((part, index) => line(part, lines[index] ?? '', wrong.has(part)));
    host.replaceChildren(title('String to sign'), table(rows));
  };
  return { element: host, update };
}

const title = (text: string) => element('h3', { className: 'top-title', textContent: text });

const table = (rows: HTMLElement[]) => element('table', { className: 'top-lines' }, [element('tbody', {}, rows)]);

const line = (part: string, text: string, isWrong: boolean) =>
  element('tr', { className: isWrong ? 'top-differs' : '' }, [
    element('th', { textContent: part, scope: 'row' }),
    element('td', { textContent: text }),
  ]);
