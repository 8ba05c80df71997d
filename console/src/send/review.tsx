import { texts } from '../app/texts';
import { Dialog } from '../ui/dialog';
import { Json } from '../ui/foreign';
import { type Attempt, bodyOf } from './sending';

type Props = { attempt: Attempt; onSend: () => void; onClose: () => void };

/** Exactly what would be sent. Nothing was, until the reader confirms. */
export function Review({ attempt, onSend, onClose }: Props) {
  const { body, more } = bodyOf(attempt);
  const count = attempt.commands.length;
  const send = (
    <button type="button" className="main" onClick={onSend}>
      {texts.send.confirm(count)}
    </button>
  );
  return (
    <Dialog title={texts.send.review} close={texts.commands.close} actions={send} onClose={onClose}>
      <p>{attempt.batchId === null ? texts.send.one : texts.send.batch(count)}</p>
      <Json value={body} label={texts.send.body} />
      {more > 0 && <p>{texts.send.more(more)}</p>}
    </Dialog>
  );
}
