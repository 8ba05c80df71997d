import { credentialForm } from './credential-form.js';
import { announcement, refusalNotice } from './refusal-notice.js';
import { signedHeaders, signedText } from './signed-text.js';
import { onChange } from './signing.js';

/** Scalar renders these by their names: in the introduction and beside a request, and beside its answer. */
export function defineElements(): void {
  customElements.define('top-credential', live([credentialForm, announcement]));
  customElements.define('top-signed-request', live([refusalNotice, signedHeaders, signedText]));
}

/** An element that renders its parts again after every change, for as long as it is shown. */
function live(parts: ReadonlyArray<() => { element: HTMLElement; update: () => void }>) {
  return class extends HTMLElement {
    #shown = new AbortController();

    connectedCallback(): void {
      this.#shown = new AbortController();
      const rendered = parts.map((part) => part());
      this.replaceChildren(...rendered.map(({ element }) => element));
      for (const { update } of rendered) {
        update();
        onChange(update, this.#shown.signal);
      }
    }

    disconnectedCallback(): void {
      this.#shown.abort();
    }
  };
}
