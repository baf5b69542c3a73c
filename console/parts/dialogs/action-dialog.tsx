/**
 * An action: a button, and the dialog of the same name that it opens, with the fields, what the node refuses with, the
 * command line that does the same, and a confirming button of the same name again.
 *
 * Invariant: while it runs, nothing can be sent twice, and it can't be closed; a second try after an error has the
 * first one's `idempotencyKey`, so it can't do the thing twice; when the dialog closes, the focus is where it was.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isAborted } from '../../api/api-failure.ts';
import { askNow } from '../../shell/pulse.ts';
import { keepPlace } from '../../shell/router.ts';
import { CommandLine } from '../command-line.tsx';
import { ErrorNotice } from '../error-notice.tsx';
import type { Fields, ValuesOf } from '../forms/field.tsx';
import { FieldControl } from '../forms/field-control.tsx';
import { refusedField } from '../forms/refused-field.ts';
import { ActionOpener, type OpenerProps } from './action-opener.tsx';
import { ModalDialog } from './modal-dialog.tsx';

export interface RunContext {
  /** For the header `Idempotency-Key`, where the call has one. */
  readonly idempotencyKey: string;
  /** Aborted by Cancel, when the action can be cancelled. */
  readonly signal: AbortSignal;
}

export interface ActionProps<F extends Fields, Result> extends OpenerProps {
  readonly fields: F;
  /** The effect, where the name doesn't say it. */
  readonly about?: ComponentChildren;
  readonly command: (values: ValuesOf<F>) => string;
  /** The question about these values before they are sent; once in each opening of the dialog. */
  readonly question?: (values: ValuesOf<F>) => string | undefined;
  readonly run: (values: ValuesOf<F>, context: RunContext) => Promise<Result>;
  /** Shown in the dialog when it has succeeded; without it the dialog closes. */
  readonly result?: (result: Result) => ComponentChildren;
  /** Nothing else shows the result again: only its button closes it. */
  readonly isShownOnce?: boolean;
  /** The effect of these values, such as a count: shown below the fields, or below the one that `previewBelow` names. */
  readonly preview?: (values: ValuesOf<F>) => ComponentChildren;
  readonly previewBelow?: keyof F;
  /** Whether it has tables, and is wide where there is room. */
  readonly isWide?: boolean;
  /** Called after success. */
  readonly onDone?: (result: Result) => void;
  /** Shown while it runs, such as progress. */
  readonly underWay?: ComponentChildren;
  /** Whether Cancel ends it while it runs, by the signal. */
  readonly isCancellable?: boolean;
  /** Whether it takes something away: the confirming button says so by its colour. */
  readonly isGrave?: boolean;
}

export function Action<F extends Fields, Result>(props: ActionProps<F, Result>) {
  return <ActionOpener {...props} dialog={(close) => <ActionDialog {...props} onClose={close} />} />;
}

type DialogProps<F extends Fields, Result> = ActionProps<F, Result> & { readonly onClose: () => void };

/** The dialog by itself, for actions that something else than a button opens. */
export function ActionDialog<F extends Fields, Result>(props: DialogProps<F, Result>) {
  const { name, fields, about, command, result, onClose, isCancellable = false } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const form = useForm(fields);
  const { isRunning, failure, forget, outcome, submit, cancel } = useRun(props, form.values, () =>
    dialog.current?.close(),
  );
  const refused = refusedField(failure, fields);
  useEffect(() => {
    if (refused !== undefined) dialog.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [failure]);
  useEffect(() => {
    // Its button has gone, and with it the focus.
    if (outcome !== undefined) dialog.current?.querySelector<HTMLElement>('.after button')?.focus();
  }, [outcome]);
  const leave = () => {
    if (isRunning && !isCancellable) return;
    cancel();
    dialog.current?.close();
  };
  return (
    <ModalDialog
      name={name}
      dialog={dialog}
      isWide={props.isWide === true}
      onEscape={() => (outcome !== undefined && props.isShownOnce) || leave()}
      onClose={onClose}
    >
      {outcome === undefined ? (
        <form onSubmit={submit} onKeyDown={sendOnCtrlEnter} aria-busy={isRunning}>
          {about !== undefined && <div class="about">{about}</div>}
          {Object.entries(fields).map(([key, field]) => [
            <FieldControl
              key={key}
              field={field}
              value={form.texts[key] ?? ''}
              refusal={refused?.key === key ? refused.message : undefined}
              isDisabled={isRunning}
              onText={(text) => {
                if (refused?.key === key) forget();
                form.setText(key, text);
              }}
              file={form.files[key]}
              onFile={(file) => form.setFile(key, file)}
            />,
            key === props.previewBelow && props.preview?.(form.values),
          ])}
          {props.previewBelow === undefined && props.preview?.(form.values)}
          {isRunning && props.underWay}
          {failure !== undefined && refused === undefined && <ErrorNotice failure={failure} />}
          <CommandLine text={command(form.values)} />
          <div class="buttons">
            <button type="button" disabled={isRunning && !isCancellable} onClick={leave}>
              Cancel
            </button>
            <button type="submit" class={props.isGrave ? 'grave' : 'primary'} disabled={isRunning}>
              {name}
            </button>
          </div>
        </form>
      ) : (
        <div class="after">
          {result?.(outcome.value)}
          <div class="buttons">
            <button type="button" class="primary" onClick={leave}>
              Close
            </button>
          </div>
        </div>
      )}
    </ModalDialog>
  );
}

/** From a field of several lines, too, where Enter alone begins another line. */
function sendOnCtrlEnter(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  (event.currentTarget as HTMLFormElement).requestSubmit();
}

function useForm<F extends Fields>(fields: F) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(Object.entries(fields).map(([key, { initial }]) => [key, initial])),
  );
  const [files, setFiles] = useState<Readonly<Record<string, File | undefined>>>({});
  const values = Object.fromEntries(
    Object.entries(fields).map(([key, field]) => [key, field.read(texts[key] ?? '', files[key])]),
  ) as ValuesOf<F>;
  return {
    texts,
    files,
    values,
    setText: (key: string, text: string) => setTexts((before) => ({ ...before, [key]: text })),
    setFile: (key: string, file: File | undefined) => setFiles((before) => ({ ...before, [key]: file })),
  };
}

/** `close` closes the dialog: outside of it nothing can have the focus before. */
function useRun<F extends Fields, Result>(
  props: DialogProps<F, Result>,
  values: ValuesOf<F>,
  close: () => void,
) {
  const { question, run, result, onDone } = props;
  const [isRunning, setRunning] = useState(false);
  const [failure, setFailure] = useState<unknown>(undefined);
  const [outcome, setOutcome] = useState<{ readonly value: Result }>();
  const [idempotencyKey] = useState(() => newKey());
  const controller = useRef<AbortController>(undefined);
  const asked = useRef<string>(undefined);
  /** Fields and buttons lose the focus while it runs. */
  const focused = useRef<Element | null>(null);
  useEffect(() => {
    if (failure !== undefined) (focused.current as HTMLElement | null)?.focus();
  }, [failure]);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (controller.current !== undefined) return;
    focused.current = document.activeElement;
    const asking = question?.(values);
    if (asking !== undefined && asking !== asked.current) {
      asked.current = asking;
      setFailure(new Error(`${asking} If that is what you want, confirm it once more.`));
      return;
    }
    const mine = new AbortController();
    controller.current = mine;
    setRunning(true);
    setFailure(undefined);
    // Others go on by themselves, also when their screen is left.
    const isToStay = props.isShownOnce === true || props.isCancellable === true;
    const leaveFree = isToStay ? keepPlace(`${props.name} is under way.`) : undefined;
    try {
      const value = await run(values, { idempotencyKey, signal: mine.signal }).finally(leaveFree);
      void askNow();
      onDone?.(value);
      if (result === undefined) close();
      else setOutcome({ value });
    } catch (error) {
      if (!isAborted(error)) setFailure(error);
    } finally {
      controller.current = undefined;
      setRunning(false);
    }
  };
  const forget = () => setFailure(undefined);
  return { isRunning, failure, forget, outcome, submit, cancel: () => controller.current?.abort() };
}

/** An `Idempotency-Key`. Where there is no TLS, `crypto.randomUUID` is missing. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
}
