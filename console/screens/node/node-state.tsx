/** The node's program, the positions of its journal and its checkpoint, and the shop's money by place. */
import { Fragment } from 'preact';
import type { AnswerOf } from '../../api/call-types.ts';
import { counted, usdt } from '../../parts/money.tsx';
import { sizeText } from '../../parts/size.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';

type Status = AnswerOf<'GET /status'>;
type Disk = AnswerOf<'GET /overview'>['disk'];

const TRANSPORTS = { uws: 'uWebSockets.js', node: 'node:http' } as const;

export function StatePanel({ status, disk }: { readonly status: Status; readonly disk: Disk }) {
  const { ready, version, transport, journalPosition, checkpointPosition } = status;
  const behind = journalPosition - checkpointPosition;
  return (
    <section class="panel" aria-labelledby="state">
      <header>
        <h2 id="state">State</h2>
        <StatusBadge status={ready ? 'ready' : 'not ready'} tone={ready ? 'good' : 'bad'} />
      </header>
      <dl class="facts">
        <dt>Version</dt>
        <dd>{version}</dd>
        <dt>Transport</dt>
        <dd>{TRANSPORTS[transport]}</dd>
        <dt>Journal</dt>
        <dd class="number">{counted(journalPosition)}</dd>
        <dt>Checkpoint</dt>
        <dd class="number">
          {counted(checkpointPosition)}
          {behind > 0 && <span class="quiet">{`, ${counted(behind)} behind`}</span>}
        </dd>
        <dt>Disk</dt>
        <dd>
          {disk === null ? 'not known' : `${sizeText(disk.freeBytes)} free of ${sizeText(disk.totalBytes)}`}
        </dd>
        <dt>Accounts</dt>
        <dd class="number">{counted(status.accounts)}</dd>
        <dt>Products</dt>
        <dd class="number">{counted(status.products)}</dd>
        <dt>Orders</dt>
        <dd class="number">{counted(status.orders)}</dd>
      </dl>
    </section>
  );
}

const LEDGER_ROWS = [
  ['In wallets', 'walletsUsdt'],
  ['On hold', 'heldUsdt'],
  ['Revenue', 'revenueUsdt'],
  ['Deposits', 'depositsUsdt'],
] as const;

export function LedgerPanel({ ledger }: { readonly ledger: NonNullable<Status['ledger']> }) {
  return (
    <section class="panel" aria-labelledby="ledger">
      <header>
        <h2 id="ledger">Ledger</h2>
        <span class="hint more">USDT</span>
      </header>
      <dl class="facts is-figures">
        {LEDGER_ROWS.map(([name, field]) => (
          <Fragment key={field}>
            <dt>{name}</dt>
            <dd>
              {/* A minus is no debt here: deposits are where the money came from. */}
              <span class="money">{usdt(ledger[field])}</span>
            </dd>
          </Fragment>
        ))}
      </dl>
      <p class="hint">The four add up to zero: what buyers paid in is in wallets, on hold, or earned.</p>
    </section>
  );
}
