/** One field of a form, with its label, its hint and the browser's own checks. */
import { useId } from 'preact/hooks';
import type { Field } from './field.tsx';

export interface FieldControlProps {
  readonly field: Field<unknown>;
  readonly value: string;
  readonly isDisabled: boolean;
  readonly onText: (text: string) => void;
  readonly onFile: (file: File | undefined) => void;
}

export function FieldControl(props: FieldControlProps) {
  const { field } = props;
  const id = useId();
  const hintId = `${id}-hint`;
  const isCheck = field.control.kind === 'check';
  const label = <label for={id}>{field.label}</label>;
  return (
    <div class={isCheck ? 'field is-check' : 'field'}>
      {!isCheck && label}
      <Control {...props} id={id} hintId={field.hint === undefined ? undefined : hintId} />
      {isCheck && label}
      {field.hint !== undefined && (
        <p class="hint" id={hintId}>
          {field.hint}
        </p>
      )}
    </div>
  );
}

type ControlProps = FieldControlProps & { readonly id: string; readonly hintId: string | undefined };

function Control({ field, value, isDisabled, onText, onFile, id, hintId }: ControlProps) {
  const { control, isRequired } = field;
  const common = {
    id,
    required: isRequired,
    disabled: isDisabled,
    'aria-describedby': hintId,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onText(currentTarget.value),
  };
  switch (control.kind) {
    case 'lines':
      return (
        <textarea
          {...common}
          rows={control.rows}
          maxLength={control.maxLength}
          spellcheck={false}
          value={value}
        />
      );
    case 'select':
      return (
        <select {...common} value={value}>
          {control.options.map(([option, words]) => (
            <option key={option} value={option}>
              {words}
            </option>
          ))}
        </select>
      );
    case 'check': {
      const onInput = ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
        onText(currentTarget.checked ? 'on' : '');
      return <input {...common} type="checkbox" required={false} checked={value !== ''} onInput={onInput} />;
    }
    case 'file': {
      const onInput = ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
        onFile(currentTarget.files?.[0]);
      return <input {...common} type="file" accept={control.accept} onInput={onInput} />;
    }
    case 'input':
      return <input {...common} {...control.attributes} value={value} />;
  }
}
