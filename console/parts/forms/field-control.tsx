/** One field of a form, with its label, its hint and the browser's own checks. */
import { useId } from 'preact/hooks';
import { DropField } from './drop-field.tsx';
import type { Field } from './field.tsx';
import { FIND_ATTRIBUTES, FoundByText } from './find-control.tsx';
import { RowsControl } from './rows-control.tsx';

type Checked = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export interface FieldControlProps {
  readonly field: Field<unknown>;
  readonly value: string;
  /** Of a field that is one. */
  readonly file?: File | undefined;
  /** The refusal of the node that is about it. */
  readonly refusal?: string | undefined;
  readonly isDisabled: boolean;
  readonly onText: (text: string) => void;
  readonly onFile?: (file: File | undefined) => void;
}

export function FieldControl(props: FieldControlProps) {
  const { field, value, refusal } = props;
  const id = useId();
  const [hintId, problemId] = [`${id}-hint`, `${id}-problem`];
  const isCheck = field.control.kind === 'check';
  const invalid = tooLong(field, value);
  const problem = invalid ?? refusal;
  if (field.control.kind === 'rows') {
    const { label, hint, control } = field;
    return <RowsControl {...props} {...{ legend: label, hint, control, problem }} text={value} />;
  }
  if (field.control.kind === 'file') return <DropField {...props} {...field} {...field.control} />;
  const describedBy = [
    ...(field.hint === undefined ? [] : [hintId]),
    ...(problem === undefined ? [] : [problemId]),
  ].join(' ');
  const label = <label for={id}>{field.label}</label>;
  return (
    <div class={isCheck ? 'field is-check' : 'field'}>
      {!isCheck && (
        <div class="label-row">
          {label}
          {/* Screen readers tell the others by `required`. */}
          {!field.isRequired && <span aria-hidden="true">optional</span>}
        </div>
      )}
      <Control {...props} id={id} describedBy={describedBy} problem={problem} invalid={invalid} />
      {isCheck && label}
      {problem !== undefined && (
        <p class="problem" id={problemId} role={problem === refusal ? 'alert' : undefined}>
          {problem}
        </p>
      )}
      {field.hint !== undefined && (
        <p class="hint" id={hintId}>
          {field.hint}
        </p>
      )}
      {field.below}
    </div>
  );
}

/** As the API counts: a sign that takes two places in memory is one character. */
function tooLong({ maxLength }: Field<unknown>, value: string): string | undefined {
  if (maxLength === undefined || value.length <= maxLength) return undefined;
  const { length } = [...value];
  return length > maxLength ? `This has ${length} characters. At most ${maxLength} are taken.` : undefined;
}

type ControlProps = FieldControlProps & {
  readonly id: string;
  /** Ids of what is said of it; may be empty. */
  readonly describedBy: string;
  readonly problem: string | undefined;
  /** The reason why the form can't be sent. */
  readonly invalid: string | undefined;
};

function Control(props: ControlProps) {
  const { field, value, isDisabled, onText, id, describedBy, problem, invalid } = props;
  const { control, isRequired } = field;
  const common = {
    id,
    required: isRequired,
    disabled: isDisabled,
    'aria-describedby': describedBy === '' ? undefined : describedBy,
    'aria-invalid': problem === undefined ? undefined : true,
    ref: (element: Checked | null) => element?.setCustomValidity(invalid ?? ''),
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onText(currentTarget.value),
  };
  switch (control.kind) {
    case 'lines':
      return <textarea {...common} rows={control.rows} spellcheck={false} value={value} />;
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
    case 'find': {
      const onTake = (taken: number) => {
        onText(String(taken));
        // Its button goes.
        document.getElementById(id)?.focus();
      };
      return (
        <>
          <input {...common} {...FIND_ATTRIBUTES} value={value} />
          <FoundByText label={field.label} find={control.find} text={value} onTake={onTake} />
        </>
      );
    }
    case 'input':
      return <input {...common} {...control.attributes} value={value} />;
    default:
      return null;
  }
}
