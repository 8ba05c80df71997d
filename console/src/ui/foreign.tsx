/**
 * What a device, an adapter or a tenant wrote: always text, and isolated, so that characters that change the direction of
 * writing change nothing around it.
 */
export function Foreign({ text, className }: { text: string; className?: string }) {
  return (
    <bdi className={className} title={text.length > 40 ? text : undefined}>
      {text}
    </bdi>
  );
}

/** A value of JSON as text. */
export const Json = ({ value, label }: { value: unknown; label: string }) => (
  <Verbatim text={JSON.stringify(value, null, 2)} label={label} />
);

export function Verbatim({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach it.
    <section aria-label={label} tabIndex={0} className="verbatim">
      <pre>
        <bdi>{text}</bdi>
      </pre>
    </section>
  );
}
