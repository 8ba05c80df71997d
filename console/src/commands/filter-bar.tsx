import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { texts } from '../app/texts';
import { fromInput, toInput } from '../ui/time';
import { useFormOfAddress } from '../ui/use-form-of-address';
import { type CommandFilters, statuses, toFilters } from './filters';

const fields = [
  ['vendor', texts.commands.vendor],
  ['device_id', texts.commands.device],
  ['command_type', texts.commands.type],
  ['batch_id', texts.commands.batch],
  ['reason', texts.commands.reason],
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
      className="filters"
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
      </fieldset>
      {fields.map(([name, label]) => (
        <label key={name}>
          {label}
          <input name={name} defaultValue={filters[name]} spellCheck={false} autoComplete="off" />
        </label>
      ))}
      {times.map(([name, label]) => (
        <label key={name}>
          {label}
          <input type="datetime-local" step="1" name={name} defaultValue={toInput(filters[name])} />
        </label>
      ))}
      <button type="submit" className="hidden">
        {texts.commands.filters}
      </button>
      {Object.keys(filters).length > 0 && (
        <button type="button" onClick={() => show({})}>
          {texts.commands.clear}
        </button>
      )}
    </form>
  );
}
