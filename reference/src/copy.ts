/** Puts a button on every block of code of a guide. Without this script there is none. */
for (const block of document.querySelectorAll('main pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', () => void copy(block, button));
  const frame = document.createElement('div');
  frame.className = 'code';
  block.replaceWith(frame);
  frame.append(block, button);
}

async function copy(block: Element, button: HTMLElement): Promise<void> {
  // With a line break at its end, a shell would run what is pasted at once.
  const text = block.textContent.trimEnd();
  button.textContent = (await isCopied(text, block)) ? 'Copied' : 'Selected';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2_000);
}

/** Over HTTP, browsers have a clipboard on this machine alone. Elsewhere the text is selected, for the reader to copy. */
async function isCopied(text: string, block: Element): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection()?.selectAllChildren(block);
    return false;
  }
}
