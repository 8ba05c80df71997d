import { MAX_TIMEOUT_SECONDS } from '@tenant-open-platform/contract/facts';
import type { Catalog } from '@tenant-open-platform/sdk';
import { type FormEvent, useEffect, useMemo, useState } from 'react';
import { texts } from '../app/texts';
import { Foreign } from '../ui/foreign';
import { type CheckPayload, checkerOf } from './check-payload';
import { DeviceField } from './device-field';
import { formSchemaOf } from './form-schema';
import { PayloadEditor } from './payload-editor';
import { type Payload, payloadText, readPayload } from './payload-text';
import type { Draft } from './sending';

type Vendor = Catalog['vendors'][number];
type Props = { vendors: readonly Vendor[]; onReview: (draft: Draft) => void };

/** The browser judges these, and the engine of the platform the payload. */
const OWN_FIELDS = ['vendor', 'command_type', 'timeout_seconds'];

export function CommandForm({ vendors, onReview }: Props) {
  const [chosen, setChosen] = useState({ vendor: '', type: '' });
  const [devices, setDevices] = useState<string[]>([]);
  const [seconds, setSeconds] = useState('30');
  const [payload, setPayload] = useState<Payload>({});
  const [text, setText] = useState('{}');
  /** The reader has asked for a check; from then on it follows what is typed. */
  const [isChecked, setIsChecked] = useState(false);

  const vendor = vendors.find((one) => one.vendor === chosen.vendor);
  const type = vendor?.command_types.find((one) => one.command_type === chosen.type);
  const schema = type?.payload_schema;
  const form = useMemo(() => (schema ? formSchemaOf(schema) : null), [schema]);
  const read = useMemo(() => readPayload(text), [text]);
  const [checker, setChecker] = useState<CheckPayload | null>(null);
  const faults = useMemo(
    () => (isChecked && checker && read.payload ? checker(read.payload) : []),
    [isChecked, checker, read.payload],
  );
  useEffect(() => {
    let isShown = true;
    setChecker(null);
    if (schema) void checkerOf(schema).then((found) => isShown && setChecker(() => found));
    return () => {
      isShown = false;
    };
  }, [schema]);

  function fill(next: Payload) {
    setPayload(next);
    setText(payloadText(next));
  }

  function write(next: string) {
    setText(next);
    const { payload: written } = readPayload(next);
    if (written) setPayload(written);
  }

  function choose(next: { vendor: string; type: string }) {
    setChosen(next);
    setIsChecked(false);
    const found = vendors
      .find((one) => one.vendor === next.vendor)
      ?.command_types.find((one) => one.command_type === next.type);
    fill((found && formSchemaOf(found.payload_schema)?.initial) ?? {});
  }

  async function review(isForced: boolean) {
    setIsChecked(true);
    if (!schema || !read.payload || devices.length === 0) return;
    if (!isForced && (await checkerOf(schema))(read.payload).length > 0) return;
    onReview({
      vendor: chosen.vendor,
      commandType: chosen.type,
      devices,
      timeoutSeconds: Number(seconds),
      payload: read.payload,
    });
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const { elements } = event.currentTarget;
    const own = OWN_FIELDS.map((name) => elements.namedItem(name) as HTMLSelectElement | HTMLInputElement);
    if (own.every((field) => field.reportValidity())) void review(false);
  }

  return (
    <form className="send" aria-label={texts.send.title} noValidate onSubmit={submit}>
      <div className="filters">
        <label>
          {texts.commands.vendor}
          <select
            required
            name="vendor"
            value={chosen.vendor}
            onChange={({ target }) => choose({ vendor: target.value, type: '' })}
          >
            <option value="">{texts.send.choose}</option>
            {vendors.map((one) => (
              <option key={one.vendor}>{one.vendor}</option>
            ))}
          </select>
        </label>
        <label>
          {texts.commands.type}
          <select
            required
            name="command_type"
            disabled={!vendor}
            value={chosen.type}
            onChange={({ target }) => choose({ ...chosen, type: target.value })}
          >
            <option value="">{texts.send.choose}</option>
            {vendor?.command_types.map((one) => (
              <option key={one.command_type}>{one.command_type}</option>
            ))}
          </select>
        </label>
        <label>
          {texts.send.timeout}
          <input
            required
            name="timeout_seconds"
            type="number"
            min={1}
            max={MAX_TIMEOUT_SECONDS}
            value={seconds}
            onChange={({ target }) => setSeconds(target.value)}
          />
        </label>
      </div>
      {vendors.length === 0 && <p>{texts.send.noVendor}</p>}
      {vendor && vendor.last_read_at === null && <p className="problem">{texts.send.noReader}</p>}
      {type && (
        <p>
          <Foreign text={type.description} />
        </p>
      )}
      <DeviceField onDevices={setDevices} />
      {isChecked && devices.length === 0 && <p role="alert">{texts.send.noDevice}</p>}
      {type && (
        <PayloadEditor
          key={`${chosen.vendor} ${chosen.type}`}
          form={form}
          text={text}
          payload={payload}
          problem={read.problem}
          faults={faults}
          onText={write}
          onPayload={fill}
        />
      )}
      <div className="actions">
        <button type="submit" className="main">
          {texts.send.review}
        </button>
        {faults.length > 0 && (
          <button type="button" onClick={() => void review(true)}>
            {texts.send.reviewAnyway}
          </button>
        )}
      </div>
    </form>
  );
}
