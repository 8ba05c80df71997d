// Not the whole package: its index imports a validator that uses eval.
import Form from '@rjsf/core/lib/components/Form.js';
import {
  type ArrayFieldItemTemplateProps,
  type DescriptionFieldProps,
  errorId,
  type FieldErrorProps,
  type FieldTemplateProps,
  type IconButtonProps,
  type RJSFSchema,
  type TitleFieldProps,
} from '@rjsf/utils';
import { Component, type ReactNode } from 'react';
import { texts } from '../app/texts';
import { Foreign } from '../ui/foreign';
import type { Fault } from './check-payload';
import { toErrorSchema, validator } from './form-validator';
import type { Payload } from './payload-text';

type Props = {
  schema: RJSFSchema;
  payload: Payload;
  faults: readonly Fault[];
  onPayload: (payload: Payload) => void;
};

/** Fields for a payload. They add nothing by themselves: an empty field is no property. */
export function PayloadForm({ schema, payload, faults, onPayload }: Props) {
  return (
    <Otherwise show={<p role="status">{texts.send.formFailed}</p>}>
      <Form<Payload, RJSFSchema>
        tagName="div"
        className="payload-form"
        idPrefix="payload"
        schema={schema}
        formData={payload}
        validator={validator}
        noValidate
        noHtml5Validate
        showErrorList={false}
        extraErrors={toErrorSchema(faults)}
        templates={templates}
        experimental_defaultFormStateBehavior={{
          emptyObjectFields: 'skipDefaults',
          arrayMinItems: { populate: 'never' },
          constAsDefaults: 'never',
        }}
        onChange={({ formData }) => onPayload(formData ?? {})}
      >
        <span />
      </Form>
    </Otherwise>
  );
}

/** The JSON text remains where the form cannot show a schema. */
class Otherwise extends Component<{ show: ReactNode; children: ReactNode }> {
  override state = { hasFailed: false };
  static getDerivedStateFromError = () => ({ hasFailed: true });
  override render() {
    return this.state.hasFailed ? this.props.show : this.props.children;
  }
}

/** The texts of a schema are a stranger's. */
function Field({ id, label, required, displayLabel, description, children, errors, hidden }: FieldTemplateProps) {
  return (
    <div className="field" hidden={hidden}>
      {displayLabel && (
        <label htmlFor={id}>
          <Foreign text={label} /> <Required if={required} />
        </label>
      )}
      {displayLabel && description}
      {children}
      {errors}
    </div>
  );
}

const Required = ({ if: isRequired }: { if: boolean | undefined }) =>
  isRequired ? <small>{texts.send.needed}</small> : null;

const Title = ({ id, title, required }: TitleFieldProps) => (
  <legend id={id}>
    <Foreign text={title} /> <Required if={required} />
  </legend>
);

const Description = ({ id, description }: DescriptionFieldProps) =>
  description ? (
    <small id={id} className="about">
      <Foreign text={String(description)} />
    </small>
  ) : null;

const FieldErrors = ({ errors = [], fieldPathId }: FieldErrorProps) =>
  errors.length > 0 ? (
    <ul id={errorId(fieldPathId)} className="faults">
      {errors.map((error, index) => (
        <li key={index}>
          <Foreign text={String(error)} />
        </li>
      ))}
    </ul>
  ) : null;

function ListItem({ children, buttonsProps, hasToolbar }: ArrayFieldItemTemplateProps) {
  const { hasMoveDown, hasMoveUp, hasRemove, onMoveDownItem, onMoveUpItem, onRemoveItem } = buttonsProps;
  return (
    <div className="item">
      {children}
      {hasToolbar && (
        <div className="actions">
          {(hasMoveUp || hasMoveDown) && (
            <>
              <button type="button" disabled={!hasMoveUp} onClick={onMoveUpItem}>
                {texts.send.up}
              </button>
              <button type="button" disabled={!hasMoveDown} onClick={onMoveDownItem}>
                {texts.send.down}
              </button>
            </>
          )}
          {hasRemove && (
            <button type="button" onClick={onRemoveItem}>
              {texts.send.remove}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

const AddButton = ({ id, onClick, disabled }: IconButtonProps) => (
  <button type="button" id={id} onClick={onClick} disabled={disabled}>
    {texts.send.add}
  </button>
);

const templates = {
  FieldTemplate: Field,
  TitleFieldTemplate: Title,
  DescriptionFieldTemplate: Description,
  FieldErrorTemplate: FieldErrors,
  ArrayFieldItemTemplate: ListItem,
  ButtonTemplates: { AddButton },
};
