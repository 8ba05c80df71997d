import type { ReactNode } from 'react';

/** What may be wider than the screen, such as a table. It scrolls by itself, also by keyboard. */
export function Scrolling({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section
      className="wide"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach it.
      tabIndex={0}
    >
      {children}
    </section>
  );
}
