import { element } from './element.js';
import { lastSignedRequest } from './signing.js';

const parts = ['algorithm', 'method', 'target', 'client_id', 'timestamp', 'nonce', 'body_sha256'] as const;

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
    host.replaceChildren(
      element('h3', { className: 'top-title', textContent: 'String to sign' }),
      element('table', { className: 'top-lines' }, [
        element('tbody', {}, [...rows, line('X-Api-Signature', signed.signature, false)]),
      ]),
    );
  };
  return { element: host, update };
}

const line = (part: string, text: string, isWrong: boolean) =>
  element('tr', { className: isWrong ? 'top-differs' : '' }, [
    element('th', { textContent: part, scope: 'row' }),
    element('td', { textContent: text }),
  ]);
