/** What screen readers and keyboards need and elements of Scalar lack, by their selectors. */
const corrections: Record<string, (element: HTMLElement) => void> = {
  'button[class*="copy-button"]': (button) => {
    button.ariaLabel ||= 'Copy';
    // Nothing has this id until the button is used.
    button.removeAttribute('aria-controls');
  },
  'button[role="none"]': (button) => button.removeAttribute('role'),
  // WCAG 2.5.3: the name contains the visible text. The element may be added again.
  'button.show-more[aria-label]': (button) => {
    const text = button.textContent?.trim() ?? '';
    if (!button.ariaLabel?.startsWith(text)) button.ariaLabel = `${text}: ${button.ariaLabel}`;
  },
  '[role="combobox"]:not([aria-expanded])': (input) => {
    input.ariaExpanded = 'false';
  },
  '[role="textbox"].cm-content': (editor) => {
    editor.ariaLabel ||= 'Body';
  },
  'code.custom-scroll, .cm-scroller': (scrolled) => {
    scrolled.tabIndex = 0;
  },
};

/** Corrects each element when it is added to the page. */
export function makeAccessible(page: Node): void {
  const correct = (added: Node) => {
    if (!(added instanceof HTMLElement)) return;
    for (const [selector, change] of Object.entries(corrections)) {
      if (added.matches(selector)) change(added);
      added.querySelectorAll<HTMLElement>(selector).forEach(change);
    }
  };
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) addedNodes.forEach(correct);
  }).observe(page, { childList: true, subtree: true });
}
