import { type ReactNode, useEffect, useRef } from 'react';

type Props = {
  title: string;
  /** The button that closes it. */
  close: string;
  /** Other buttons. */
  actions?: ReactNode;
  onClose: () => void;
  children: ReactNode;
};

/** Open as long as it is rendered. Escape closes it, and the focus returns to where it was. */
export function Dialog({ title, close, actions, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
      <div className="actions">
        {actions}
        <button type="button" onClick={() => dialog.current?.close()}>
          {close}
        </button>
      </div>
    </dialog>
  );
}
