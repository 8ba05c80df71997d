import { element } from './element.js';
import { type Credential, currentCredential, useCredential } from './signing.js';

/** Where the reader enters the credential. It is no form, so that no browser offers to keep the secret. */
export function credentialForm() {
  const clientId = field('client_id', 'text', (value) => useCredential({ clientId: value }));
  const secret = field('secret', 'password', (value) => useCredential({ secret: value }));
  const file = element('input', { type: 'file', accept: 'application/json', className: 'top-file' });
  const readFile = async () => {
    useCredential(credentialOf((await file.files?.[0]?.text()) ?? ''));
    file.value = '';
  };
  file.addEventListener('change', () => void readFile());
  const update = () => {
    const credential = currentCredential();
    if (clientId.input.value !== credential.clientId) clientId.input.value = credential.clientId;
    if (secret.input.value !== credential.secret) secret.input.value = credential.secret;
  };
  const section = element('section', { className: 'top-card', ariaLabel: 'Signature' }, [
    element('h3', { className: 'top-title', textContent: 'Signature' }),
    element('div', { className: 'top-fields' }, [clientId.label, secret.label]),
    element('p', { className: 'top-note' }, [
      'The page signs each request with this credential: it adds X-Api-Id, X-Api-Timestamp, X-Api-Nonce and X-Api-Signature. The secret stays in the memory of this page. ',
      element('label', { className: 'top-link' }, ['Read both from a file', file]),
      ', for example data/demo.json.',
    ]),
  ]);
  return { element: section, update };
}

/** A file as the platform and topctl write it. Fields that it does not have are left empty. */
function credentialOf(text: string): Credential {
  try {
    const { client_id: clientId = '', secret = '' } = JSON.parse(text);
    return { clientId: String(clientId), secret: String(secret) };
  } catch {
    return { clientId: '', secret: '' };
  }
}

function field(name: string, type: string, onInput: (value: string) => void) {
  const input = element('input', { type, name, className: 'top-input', autocomplete: 'off', spellcheck: false });
  input.addEventListener('input', () => onInput(input.value.trim()));
  return {
    input,
    label: element('label', { className: 'top-field' }, [element('span', { textContent: name }), input]),
  };
}
