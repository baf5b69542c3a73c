/** What a restore has left open: sales that are closed, items that are set aside, debits that wait. Else nothing. */
import type { AnswerOf } from '../api/call-types.ts';
import { CommandLine, purser } from '../parts/command-line.tsx';
import { counted } from '../parts/money.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { Time } from '../parts/time.tsx';
import { OpenSales } from './open-sales.tsx';

type Restore = AnswerOf<'GET /restore'>;

export function RestorePanel({ restore }: { readonly restore: Restore }) {
  const { sales, epoch, gap, quarantined, waitingDebitCount } = restore;
  const isClosed = sales === 'closed';
  if (!isClosed && quarantined === 0 && waitingDebitCount === 0 && restore.import === undefined) return null;
  return (
    <section class="panel" aria-labelledby="restore">
      <header>
        <h2 id="restore">Restore</h2>
        <StatusBadge status={`sales ${sales}`} tone={isClosed ? 'bad' : 'good'} />
        {restore.undecided !== undefined && <OpenSales undecided={restore.undecided} />}
      </header>
      <dl class="facts">
        <dt>Epoch</dt>
        <dd>{epoch}</dd>
        {gap !== null && <GapFacts gap={gap} />}
        <dt>Set aside</dt>
        <dd>{`${counted(quarantined)} items that may have been sold`}</dd>
        <dt>Debits that wait</dt>
        <dd>{counted(waitingDebitCount)}</dd>
        {restore.import !== undefined && <ImportFacts state={restore.import} />}
      </dl>
      {isClosed && <WhatToDo />}
    </section>
  );
}

function GapFacts({ gap: { from, to, orders } }: { readonly gap: NonNullable<Restore['gap']> }) {
  return (
    <>
      <dt>Gap</dt>
      <dd>
        from <Time at={from} /> to <Time at={to} />:{' '}
        {orders === null ? 'nobody knows yet how many orders' : `${counted(orders)} orders`}
      </dd>
    </>
  );
}

function ImportFacts({ state }: { readonly state: NonNullable<Restore['import']> }) {
  return (
    <>
      <dt>Import of {state.folder}</dt>
      <dd>
        <StatusBadge status={state.state} /> {state.error}
      </dd>
    </>
  );
}

function WhatToDo() {
  return (
    <div class="what-to-do">
      <p>Nothing is sold until the gap is closed. If the old disk is readable, nothing has to be lost:</p>
      <CommandLine text={purser('restore import', ['/path/of/the/old/folder'], { complete: true })} />
      <p>
        Else enter your own books again, take the buyers’ receipts, and set aside what may have been sold:
      </p>
      <CommandLine text={purser('restore receipts', ['receipts.txt'])} />
      <CommandLine text={purser('restore quarantine', [], { count: 200 })} />
    </div>
  );
}
