import { useEffect, useRef } from 'react';
import { texts } from '../app/texts';
import { Json } from '../ui/foreign';
import { type Attempt, bodyOf } from './sending';

type Props = { attempt: Attempt; onSend: () => void; onClose: () => void };

/** Exactly what would be sent. Nothing was, until the reader confirms. */
export function Review({ attempt, onSend, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const { body, more } = bodyOf(attempt);
  const count = attempt.commands.length;
  return (
    <dialog ref={dialog} aria-label={texts.send.review} onClose={onClose}>
      <h2>{texts.send.review}</h2>
      <p>{attempt.batchId === null ? texts.send.one : texts.send.batch(count)}</p>
      <Json value={body} label={texts.send.body} />
      {more > 0 && <p>{texts.send.more(more)}</p>}
      <div className="actions">
        <button type="button" className="main" onClick={onSend}>
          {texts.send.confirm(count)}
        </button>
        <button type="button" onClick={() => dialog.current?.close()}>
          {texts.commands.close}
        </button>
      </div>
    </dialog>
  );
}
