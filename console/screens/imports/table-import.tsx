/**
 * Import a table of products or of prices: the file is streamed from the disk, twice: to see what would come of it, and, when
 * the operator has seen that, to carry it out.
 *
 * Invariant: nothing is imported whose dry run was not seen, nor a table with bad lines unless they are to be left out.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isAborted } from '../../api/api-failure.ts';
import { announce } from '../../parts/announcer.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { ErrorNotice, messageOf } from '../../parts/error-notice.tsx';
import { check, file, reason, select } from '../../parts/forms/field.tsx';
import { counted } from '../../parts/money.tsx';
import { UploadProgress, WaitingForNode } from '../../parts/upload-progress.tsx';
import { TableReport } from './table-report.tsx';
import {
  isOddlyEncoded,
  type Step,
  sendTable,
  type Table,
  type TableAnswer,
  type TableCall,
} from './table-upload.ts';

export interface TableFlags {
  readonly charset: string | undefined;
  readonly 'leave-out-bad-lines': boolean;
  readonly reason: string | undefined;
}

interface TableImportProps {
  readonly name: string;
  readonly call: TableCall;
  /** Of the price list. */
  readonly id?: number;
  readonly look?: 'quiet' | 'small';
  /** The columns that it takes. */
  readonly about: ComponentChildren;
  readonly command: (fileName: string, flags: TableFlags) => string;
}

const CONTENT = file({
  label: 'Table',
  accept: '.csv,.tsv,.txt,text/csv',
  hint: 'CSV, as a spreadsheet saves it.',
});
const CHARSET = select({
  label: 'Encoding',
  isOptional: true,
  options: [
    ['', 'as the file says, or UTF-8'],
    ['windows-1252', 'Windows-1252'],
  ],
});

export function ImportTable({ name, call, id, look = 'quiet', about, command }: TableImportProps) {
  const [step, setStep] = useState<Step>();
  const [isOdd, setOdd] = useState(false);
  const dry = useRef<TableAnswer>(undefined);
  return (
    <Action
      name={name}
      needs={call}
      look={look}
      about={about}
      isWide
      isCancellable
      fields={{
        content: CONTENT,
        // Asked for when it matters.
        ...(isOdd && { charset: CHARSET }),
        leaveOut: check({ label: 'Leave out bad lines', hint: 'Else one stops the import.' }),
        reason: reason(),
      }}
      previewBelow="content"
      preview={({ content, charset = '' }) =>
        isChosen(content) && (
          <DryRun
            key={`${content.name} ${content.size} ${content.lastModified} ${charset}`}
            table={{ call, id, file: content, charset }}
            onSeen={(answer) => {
              dry.current = answer;
            }}
            onOdd={() => setOdd(true)}
          />
        )
      }
      command={({ content, charset, leaveOut, reason: why }) =>
        command(isChosen(content) ? content.name : '', {
          charset: charset || undefined,
          'leave-out-bad-lines': leaveOut,
          reason: why,
        })
      }
      underWay={step !== undefined && <Progress what="Import" step={step} />}
      run={async ({ content, charset = '', leaveOut, reason: why }, { signal }) => {
        assertReady(dry.current, leaveOut);
        const leaveOutBadLines = leaveOut ? true : undefined;
        const flags = { leaveOutBadLines, reason: why, signal, onStep: setStep };
        return await sendTable({ call, id, file: content, charset }, flags).catch((error: unknown) => {
          if (isAborted(error))
            announce('Cancelled. Whether the node had all of it by then, a dry run of the same file tells.');
          throw error;
        });
      }}
      onDone={({ created, updated }) =>
        announce(`Imported: ${counted(created)} new, ${counted(updated)} changed.`)
      }
      result={(answer) => <TableReport answer={answer} isDone />}
    />
  );
}

interface DryRunProps {
  readonly table: Table;
  readonly onSeen: (answer: TableAnswer | undefined) => void;
  /** The table may be of another encoding. */
  readonly onOdd: () => void;
}

/** Of one file in one encoding: another one has another key. */
function DryRun({ table, onSeen, onOdd }: DryRunProps) {
  const [step, setStep] = useState<Step>();
  const [answer, setAnswer] = useState<TableAnswer>();
  const [failure, setFailure] = useState<unknown>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    sendTable(table, { dryRun: true, signal, onStep: setStep }).then(
      (found) => {
        if (signal.aborted) return;
        setAnswer(found);
        onSeen(found);
        if (found.errors.some(({ message }) => isOddlyEncoded(message))) onOdd();
      },
      (error: unknown) => {
        if (signal.aborted) return;
        setFailure(error);
        if (isOddlyEncoded(messageOf(error))) onOdd();
      },
    );
    return () => {
      controller.abort();
      onSeen(undefined);
    };
  }, []);
  if (failure !== undefined) return <ErrorNotice failure={failure} />;
  if (answer !== undefined) return <TableReport answer={answer} isDone={false} />;
  return step === undefined ? null : <Progress what="Dry run" step={step} />;
}

function Progress({ what, step }: { readonly what: string; readonly step: Step }) {
  switch (step.kind) {
    case 'sending':
      return <UploadProgress what={what} {...step} />;
    case 'waiting':
      return <WaitingForNode />;
    case 'queued':
      return <p role="status">Another table is being imported. This goes on after it.</p>;
  }
}

function assertReady(dry: TableAnswer | undefined, leavesOut: boolean): void {
  if (dry === undefined) throw new Error('Nothing is imported yet: the dry run has to end well before.');
  const { created, updated, errorCount } = dry;
  if (errorCount > 0 && !leavesOut)
    throw new Error(
      `Nothing was imported: ${errorCount === 1 ? '1 line is' : `${counted(errorCount)} lines are`} bad. ` +
        'Mend the file and choose it again, or leave out bad lines.',
    );
  if (created + updated === 0) throw new Error('Nothing was imported: nothing would change.');
}

/** A field without a file reads as one without a name. */
function isChosen({ name, size }: File): boolean {
  return size > 0 || name !== 'none';
}
