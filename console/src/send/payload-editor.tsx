import { texts } from '../app/texts';
import { Foreign } from '../ui/foreign';
import type { Fault } from './check-payload';
import { faultText } from './fault-text';
import type { FormSchema } from './form-schema';
import { PayloadForm } from './payload-form';
import type { Payload, PayloadProblem } from './payload-text';

type Props = {
  form: FormSchema | null;
  text: string;
  /** What the text last was, where it is not one now. */
  payload: Payload;
  problem: PayloadProblem | undefined;
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
        {problem && <p className="bad">{problemText(problem)}</p>}
      </div>
      {faults.length > 0 && <Faults faults={faults} />}
    </fieldset>
  );
}

const problems = {
  NOT_AN_OBJECT: texts.send.notAnObject,
  REPEATED_NAME: texts.send.repeatedName,
  FORBIDDEN_NAME: texts.send.forbiddenName,
};

function problemText(problem: PayloadProblem): string {
  if (problem.kind === 'NOT_JSON') return `${texts.send.notJson} ${problem.message}`;
  if (problem.kind === 'INEXACT_NUMBER') return texts.send.inexactNumber(problem.number);
  return problems[problem.kind];
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
              <Foreign text={`payload${fault.steps.map((step) => `/${step}`).join('')}`} />
            </code>{' '}
            <Foreign text={faultText(fault)} />
          </li>
        ))}
      </ul>
      <p>{texts.send.faultsAbout}</p>
    </div>
  );
}
