import { texts } from '../app/texts';
import { Foreign } from '../ui/foreign';
import type { Fault } from './check-payload';
import type { FormSchema } from './form-schema';
import { PayloadForm } from './payload-form';
import type { Payload } from './payload-text';

type Props = {
  form: FormSchema | null;
  text: string;
  /** What the text last was, where it is not one now. */
  payload: Payload;
  problem: string | undefined;
  faults: readonly Fault[];
  onText: (text: string) => void;
  onPayload: (payload: Payload) => void;
};

/** The same payload twice: as a form, and as text for what the form cannot express. */
export function PayloadEditor({ form, text, payload, problem, faults, onText, onPayload }: Props) {
  return (
    <fieldset className="payload">
      <legend>{texts.send.payload}</legend>
      {form ? (
        <div>
          <PayloadForm schema={form.schema} payload={payload} faults={faults} onPayload={onPayload} />
          {!form.isWhole && <p className="soft">{texts.send.partOfForm}</p>}
        </div>
      ) : (
        <p className="soft">{texts.send.noForm}</p>
      )}
      <label className="as-text">
        {texts.send.asText}
        <textarea
          className="code"
          rows={8}
          spellCheck={false}
          autoComplete="off"
          value={text}
          aria-invalid={problem !== undefined}
          aria-describedby="payload-problem"
          onChange={({ target }) => onText(target.value)}
        />
      </label>
      <div id="payload-problem" role="status">
        {problem && (
          <p className="bad">
            <Foreign text={problem} />
          </p>
        )}
      </div>
      {faults.length > 0 && <Faults faults={faults} />}
    </fieldset>
  );
}

function Faults({ faults }: { faults: readonly Fault[] }) {
  return (
    <div className="problem" role="alert">
      <p>
        <strong>{texts.send.faults(faults.length)}</strong>
      </p>
      <ul>
        {faults.map((fault, index) => (
          <li key={index}>
            <code>
              <Foreign text={fault.location} />
            </code>{' '}
            <Foreign text={fault.message} />
          </li>
        ))}
      </ul>
      <p>{texts.send.faultsAbout}</p>
    </div>
  );
}
