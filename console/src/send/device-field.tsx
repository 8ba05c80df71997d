import { type ChangeEvent, useState } from 'react';
import { texts } from '../app/texts';
import { Foreign } from '../ui/foreign';
import { type Devices, devicesOfFile, devicesOfLines } from './devices';

type Props = { onDevices: (ids: string[]) => void };

const NONE: Devices = { ids: [], repeated: 0, split: 0, header: null };
/** As many as a reader looks at. */
const SHOWN = 5;

/** Pasted, or from a file, which replaces what was pasted. */
export function DeviceField({ onDevices }: Props) {
  const [text, setText] = useState('');
  const [devices, setDevices] = useState(NONE);
  const [file, setFile] = useState('');
  const [problem, setProblem] = useState('');

  function take(next: Devices, name: string) {
    setDevices(next);
    setFile(name);
    setProblem('');
    onDevices(next.ids);
  }

  function write(next: string) {
    setText(next);
    take(devicesOfLines(next), '');
  }

  async function read({ target }: ChangeEvent<HTMLInputElement>) {
    const chosen = target.files?.[0];
    if (!chosen) return;
    const found = devicesOfFile(await chosen.text());
    target.value = '';
    if (found) take(found, chosen.name);
    else setProblem(texts.send.badFile);
  }

  return (
    <fieldset>
      <legend>{texts.send.devices}</legend>
      {file ? (
        <p className="actions">
          <span>
            {texts.send.fromFile} <Foreign text={file} />
          </span>
          <button type="button" onClick={() => write(text)}>
            {texts.send.removeFile}
          </button>
        </p>
      ) : (
        <label>
          {texts.send.deviceIds}
          <textarea
            className="code"
            rows={4}
            spellCheck={false}
            autoComplete="off"
            value={text}
            onChange={({ target }) => write(target.value)}
          />
        </label>
      )}
      <label className="file">
        {texts.send.file}
        <input
          type="file"
          accept=".txt,.csv,.json,text/plain,text/csv,application/json"
          onChange={(e) => void read(e)}
        />
        <small>{texts.send.fileAbout}</small>
      </label>
      {problem && <p role="alert">{problem}</p>}
      <div role="status">{devices.ids.length > 0 && <Found devices={devices} />}</div>
    </fieldset>
  );
}

function Found({ devices: { ids, repeated, split, header } }: { devices: Devices }) {
  return (
    <>
      <p>
        <strong>{texts.send.deviceCount(ids.length)}</strong>
        {ids.slice(0, SHOWN).map((id, index) => (
          <span key={id}>
            {index === 0 ? ': ' : ', '}
            <Foreign text={id} />
          </span>
        ))}
        {ids.length > SHOWN && ', …'}
      </p>
      {repeated > 0 && <p>{texts.send.repeated(repeated)}</p>}
      {split > 0 && <p>{texts.send.split(split)}</p>}
      {header !== null && (
        <p>
          {texts.send.header} <Foreign text={header} />
        </p>
      )}
    </>
  );
}
