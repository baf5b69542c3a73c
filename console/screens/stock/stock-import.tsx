/**
 * Import stock: a file of any size, one item a line, or a table with the items in one column. The file is streamed from
 * the disk, twice: to see what would come of it, and, when the operator has seen that, to add it.
 */
import { useRef, useState } from 'preact/hooks';
import { announce } from '../../parts/announcer.tsx';
import { CommandLine, purser } from '../../parts/command-line.tsx';
import { ActionOpener } from '../../parts/dialogs/action-opener.tsx';
import { ModalDialog } from '../../parts/dialogs/modal-dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { DropField } from '../../parts/forms/drop-field.tsx';
import { amount, check, type Fields, reason, select, text } from '../../parts/forms/field.tsx';
import { FieldControl } from '../../parts/forms/field-control.tsx';
import { counted } from '../../parts/money.tsx';
import { UploadProgress, WaitingForNode } from '../../parts/upload-progress.tsx';
import { askNow } from '../../shell/pulse.ts';
import { route, setQuery } from '../../shell/router.ts';
import { DryRunReport } from './stock-import-report.tsx';
import { type FileLook, type Phase, useStockImport } from './stock-import-run.ts';
import type { Added, ImportRequest, TableChoice } from './stock-upload.ts';

const NAME = 'Import stock';

const FIELDS = {
  leaveOutBadLines: check({
    label: 'Leave out bad lines',
    hint: 'Else a line that can be no item stops the import.',
  }),
  source: text({ label: 'Source', isOptional: true, hint: 'Where the items are from.' }),
  costUsdt: amount({ label: 'Cost in USDT', isOptional: true, hint: 'Of one item.' }),
  reference: text({ label: 'Reference', isOptional: true, hint: 'Yours, such as an invoice.' }),
  reason: reason(),
} satisfies Fields;

type FieldName = keyof typeof FIELDS;
const LABEL_NAMES = ['source', 'reference', 'costUsdt'] as const;

export function ImportStock({ productId }: { readonly productId: number }) {
  return (
    <ActionOpener
      name={NAME}
      needs="POST /products/{id}/stock"
      look="primary"
      dialog={(close) => <ImportDialog productId={productId} onClose={close} />}
    />
  );
}

interface ImportDialogProps {
  readonly productId: number;
  readonly onClose: () => void;
}

function ImportDialog({ productId, onClose }: ImportDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [file, setFile] = useState<File>();
  const [table, setTable] = useState<TableChoice>();
  const [texts, setTexts] = useState<Partial<Record<FieldName, string>>>({});
  const end = (added: Added | undefined) => {
    dialog.current?.close();
    tell(productId, added);
  };
  const {
    phase,
    dry,
    look,
    failure,
    setFailure,
    check: checkFile,
    run,
    cancel,
  } = useStockImport(productId, end);
  const request = requestOf(productId, file, table, texts);
  const isUnderWay = ['importing', 'waiting', 'cancelling'].includes(phase.kind);
  const leave = () => {
    cancel();
    // It may have been too late: that is looked at first, unless one does not want to wait for it.
    if (phase.kind !== 'importing') dialog.current?.close();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (request === undefined) return;
    // It failed before.
    if (dry === undefined) return void checkFile(file, table);
    if (dry.badLineCount > 0 && !request.leaveOutBadLines) return setFailure(badLines(dry.badLineCount));
    void run(request);
  };
  const control = (name: FieldName) => (
    <FieldControl
      key={name}
      field={FIELDS[name]}
      value={texts[name] ?? ''}
      isDisabled={isUnderWay}
      onText={(typed) => {
        setFailure(undefined);
        setTexts((before) => ({ ...before, [name]: typed }));
      }}
    />
  );
  return (
    <ModalDialog name={NAME} dialog={dialog} onEscape={leave} onClose={onClose}>
      <form onSubmit={submit} aria-busy={isUnderWay || phase.kind === 'checking'}>
        <DropField
          label="Stock file"
          hint="One item a line, UTF-8, of any size; or a table (CSV)."
          file={file}
          isDisabled={isUnderWay}
          onFile={(chosen) => {
            setFile(chosen);
            setTable(undefined);
            void checkFile(chosen);
          }}
        />
        <Progress phase={phase} />
        {look?.table !== undefined && (
          <ColumnControl
            look={look}
            table={table}
            isDisabled={isUnderWay}
            onTable={(chosen) => {
              setTable(chosen);
              void checkFile(file, chosen);
            }}
          />
        )}
        {dry !== undefined && phase.kind === 'checked' && (
          <DryRunReport dry={dry} isOfTable={table !== undefined} />
        )}
        {control('leaveOutBadLines')}
        {failure !== undefined && <ErrorNotice failure={failure} />}
        <div class="lot-label">{LABEL_NAMES.map(control)}</div>
        {control('reason')}
        <CommandLine text={commandOf(productId, file, table, texts)} />
        <Buttons phase={phase} hasNothing={dry?.wouldAdd === 0} onLeave={leave} />
      </form>
    </ModalDialog>
  );
}

interface ColumnControlProps {
  readonly look: FileLook;
  readonly table: TableChoice | undefined;
  readonly isDisabled: boolean;
  readonly onTable: (table: TableChoice | undefined) => void;
}

function ColumnControl({ look, table, isDisabled, onTable }: ColumnControlProps) {
  const columns = look.table?.columns ?? [];
  const charset = look.encoding === 'windows-1252' ? look.encoding : undefined;
  const field = select({
    label: 'Column',
    hint: 'Which one has the items.',
    options: [['', 'None: each line is an item'], ...columns.map((name) => [name, name] as const)],
  });
  return (
    <FieldControl
      field={field}
      value={table?.column ?? ''}
      isDisabled={isDisabled}
      onText={(column) => onTable(column === '' ? undefined : { column, charset })}
    />
  );
}

function Progress({ phase }: { readonly phase: Phase }) {
  switch (phase.kind) {
    case 'checking':
      return <UploadProgress what="Dry run" {...phase} />;
    case 'importing':
      return <UploadProgress what="Import" {...phase} />;
    case 'waiting':
      return <WaitingForNode />;
    case 'cancelling':
      return <p role="status">Cancelling…</p>;
    default:
      return null;
  }
}

interface ButtonsProps {
  readonly phase: Phase;
  /** The dry run found no item to add. */
  readonly hasNothing: boolean;
  readonly onLeave: () => void;
}

function Buttons({ phase, hasNothing, onLeave }: ButtonsProps) {
  const isReady = phase.kind === 'empty' || (phase.kind === 'checked' && !hasNothing);
  return (
    <div class="buttons">
      <button type="button" onClick={onLeave}>
        Cancel
      </button>
      <button type="submit" class="primary" disabled={!isReady}>
        {NAME}
      </button>
    </div>
  );
}

function requestOf(
  productId: number,
  file: File | undefined,
  table: TableChoice | undefined,
  texts: Partial<Record<FieldName, string>>,
): ImportRequest | undefined {
  if (file === undefined) return undefined;
  const { leaveOutBadLines, source, costUsdt, reference, reason: why } = valuesOf(texts);
  return { productId, file, table, label: { source, costUsdt, reference }, leaveOutBadLines, reason: why };
}

function valuesOf(texts: Partial<Record<FieldName, string>>) {
  const { leaveOutBadLines, source, costUsdt, reference, reason: why } = FIELDS;
  return {
    leaveOutBadLines: leaveOutBadLines.read(texts.leaveOutBadLines ?? '', undefined),
    source: source.read(texts.source ?? '', undefined),
    costUsdt: costUsdt.read(texts.costUsdt ?? '', undefined),
    reference: reference.read(texts.reference ?? '', undefined),
    reason: why.read(texts.reason ?? '', undefined),
  };
}

function commandOf(
  productId: number,
  file: File | undefined,
  table: TableChoice | undefined,
  texts: Partial<Record<FieldName, string>>,
): string {
  const { leaveOutBadLines, source, costUsdt, reference, reason: why } = valuesOf(texts);
  return purser('stock add', [productId, file?.name ?? ''], {
    column: table?.column,
    charset: table?.charset,
    source,
    cost: costUsdt,
    reference,
    'leave-out-bad-lines': leaveOutBadLines,
    reason: why,
  });
}

/** And shows the lot. */
function tell(productId: number, added: Added | undefined): void {
  if (added === undefined) return announce('Cancelled: nothing was added.');
  const { lotId, duplicates, badLineCount = 0 } = added;
  const left = [
    ...(duplicates > 0 ? [`${counted(duplicates)} duplicates`] : []),
    ...(badLineCount > 0 ? [`${counted(badLineCount)} bad lines`] : []),
  ];
  const without = left.length === 0 ? '' : ` Left out: ${left.join(' and ')}.`;
  announce(
    lotId === undefined
      ? `Nothing new was in the file.${without}`
      : `Added ${counted(added.added)} items as lot ${lotId}.${without}`,
  );
  void askNow();
  // Whoever went back meanwhile stays where he is.
  if (lotId !== undefined && route.peek().id === String(productId)) setQuery({ lot: lotId });
}

function badLines(count: number): Error {
  return new Error(
    `Nothing was added: ${counted(count)} ${count === 1 ? 'line is' : 'lines are'} no item. ` +
      'Mend the file and choose it again, or leave out bad lines.',
  );
}
