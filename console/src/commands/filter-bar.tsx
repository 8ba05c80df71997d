import { Link, useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { texts } from '../app/texts';
import { fromInput, toInput } from '../ui/time';
import { useFormOfAddress } from '../ui/use-form-of-address';
import { type CommandFilters, failed, statuses, toFilters } from './filters';

const fields = [
  ['vendor', texts.commands.vendor],
  ['command_type', texts.commands.type],
  ['reason', texts.commands.reason],
  ['device_id', texts.commands.device, 'wide'],
  ['batch_id', texts.commands.batch, 'wide'],
] as const;
const times = [
  ['accepted_after', texts.commands.from],
  ['accepted_before', texts.commands.until],
  ['completed_after', texts.commands.endedFrom],
  ['completed_before', texts.commands.endedUntil],
] as const;

/** Each change is a new address. */
export function FilterBar({ filters }: { filters: CommandFilters }) {
  const navigate = useNavigate();
  const form = useFormOfAddress(filters);
  const show = (next: CommandFilters) => void navigate({ to: '/commands', search: next });

  /** A field counts when the reader leaves it or presses Enter. */
  function apply(form: HTMLFormElement) {
    const given: Record<string, string> = {};
    for (const [name, value] of new FormData(form)) {
      const text = String(value).trim();
      if (name === 'status') given.status = given.status ? `${given.status},${text}` : text;
      else if (times.some(([time]) => time === name)) given[name] = fromInput(text);
      else given[name] = text;
    }
    const next = toFilters(given);
    if (JSON.stringify(next) !== JSON.stringify(toFilters(filters))) show(next);
  }

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    apply(event.currentTarget);
  };
  return (
    <form
      ref={form}
      className="filters many"
      aria-label={texts.commands.filters}
      onSubmit={submit}
      onBlur={(event) => apply(event.currentTarget)}
    >
      <fieldset onChange={(event) => apply(event.currentTarget.form as HTMLFormElement)}>
        <legend>{texts.commands.status}</legend>
        {statuses.map((status) => (
          <label key={status} className="chip">
            <input
              type="checkbox"
              name="status"
              value={status}
              defaultChecked={filters.status?.includes(status) ?? false}
            />
            {status}
          </label>
        ))}
        <label className="chip" title={texts.commands.withoutSuccessAbout}>
          <input
            type="checkbox"
            defaultChecked={failed.every((status) => filters.status?.includes(status))}
            onChange={({ currentTarget: { form, checked } }) => {
              for (const box of form?.querySelectorAll<HTMLInputElement>('[name=status]') ?? []) {
                if (failed.some((status) => status === box.value)) box.checked = checked;
              }
            }}
          />
          {texts.commands.withoutSuccess}
        </label>
      </fieldset>
      {fields.map(([name, label, width]) => (
        <label key={name} className={width}>
          {label}
          <input name={name} defaultValue={filters[name]} spellCheck={false} autoComplete="off" />
        </label>
      ))}
      {times.map(([name, label]) => (
        <label key={name} className="wide">
          {label}
          <input type="datetime-local" step="1" name={name} defaultValue={toInput(filters[name])} />
        </label>
      ))}
      {/* Without it, Enter in a field does nothing. */}
      <button type="submit" hidden />
      <div className="actions">
        <button type="button" disabled={Object.keys(filters).length === 0} onClick={() => show({})}>
          {texts.commands.clear}
        </button>
        {filters.batch_id && (
          <Link to="/fleet/$batchId" params={{ batchId: filters.batch_id }}>
            {texts.commands.openBatch}
          </Link>
        )}
      </div>
    </form>
  );
}
