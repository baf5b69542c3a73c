/**
 * The panel of what a restore has left open: sales that are closed, what was taken away behind it, items that are set aside, debits that
 * wait. Else nothing. The banner of closed sales leads to its steps.
 */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { AnswerOf } from '../../api/call-types.ts';
import { CommandLine, purser } from '../../parts/command-line.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { counted } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { RESTORE_STEP, type RestoreStep } from '../../shell/restore-steps.ts';
import { queryField, setQuery } from '../../shell/router.ts';
import { OpenSales } from '../restore/open-sales.tsx';
import { SetAside } from '../restore/set-aside.tsx';
import { TakenAwayFacts } from '../restore/taken-away.tsx';

type Restore = AnswerOf<'GET /restore'>;

export function RestorePanel({ restore }: { readonly restore: Restore }) {
  const { sales, epoch, gap, quarantined, waitingDebitCount, undecided, takenAway = null } = restore;
  const isClosed = sales === 'closed';
  if (!isClosed && quarantined === 0 && waitingDebitCount === 0) return null;
  return (
    <Panel
      title="Restore"
      beside={<StatusBadge status={`sales ${sales}`} tone={isClosed ? 'bad' : 'good'} />}
      actions={
        undecided !== undefined && (
          <>
            <SetAside />
            <OpenSales undecided={undecided} taken={takenAway} />
          </>
        )
      }
    >
      <Facts>
        <Fact name="Epoch" is={epoch} />
        {gap !== null && <GapFacts gap={gap} />}
        <Fact name="Set aside" is={`${counted(quarantined)} items that may have been sold`} />
        <Fact name="Debits that wait" is={counted(waitingDebitCount)} />
      </Facts>
      {isClosed && (
        <>
          <Step step="missing" title="What is missing">
            <WhatToDo />
          </Step>
          <Step step="taken" title="What was taken away">
            <TakenAwayFacts taken={takenAway} />
          </Step>
        </>
      )}
    </Panel>
  );
}

interface StepProps {
  readonly step: RestoreStep;
  readonly title: string;
  readonly children: ComponentChildren;
}

/** A step of the restore; its heading has the focus when the banner has led here. */
function Step({ step, title, children }: StepProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isAskedFor = queryField(RESTORE_STEP) === step;
  useEffect(() => {
    if (!isAskedFor) return;
    setQuery({ [RESTORE_STEP]: '' }, 'typed');
    heading.current?.focus();
  }, [isAskedFor]);
  return (
    <div class="restore-step">
      <h3 ref={heading} tabIndex={-1}>
        {title}
      </h3>
      {children}
    </div>
  );
}

function GapFacts({ gap: { from, to, orders } }: { readonly gap: NonNullable<Restore['gap']> }) {
  return (
    <Fact name="Gap">
      from <Time at={from} /> to <Time at={to} />:{' '}
      {orders === null ? 'nobody knows yet how many orders' : `${counted(orders)} orders`}
    </Fact>
  );
}

function WhatToDo() {
  return (
    <div class="what-to-do">
      <p>
        Nothing is sold until the gap is closed. If the old disk is readable, nothing has to be lost: stop
        this node, and start it with the data folder there.
      </p>
      <p>Else enter your own books again, and take the buyers’ receipts:</p>
      <CommandLine text={purser('restore receipts', ['receipts.txt'])} />
      <p>Then set aside what may have been sold without one.</p>
    </div>
  );
}
