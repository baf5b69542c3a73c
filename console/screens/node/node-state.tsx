/** The node's program, the positions of its journal and its checkpoint, and the shop's money by place. */
import type { AnswerOf } from '../../api/call-types.ts';
import { Fact, Facts } from '../../parts/facts.tsx';
import { counted, usdt } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { sizeText } from '../../parts/size.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';

type Status = AnswerOf<'GET /status'>;
type Disk = AnswerOf<'GET /overview'>['disk'];

const TRANSPORTS = { uws: 'uWebSockets.js', node: 'node:http' } as const;

export function StatePanel({ status, disk }: { readonly status: Status; readonly disk: Disk }) {
  const { ready, version, transport, journalPosition, checkpointPosition } = status;
  const behind = journalPosition - checkpointPosition;
  return (
    <Panel
      title="State"
      beside={<StatusBadge status={ready ? 'ready' : 'not ready'} tone={ready ? 'good' : 'bad'} />}
    >
      <Facts>
        <Fact name="Version" is={version} />
        <Fact name="Transport" is={TRANSPORTS[transport]} />
        <Fact name="Journal" is={counted(journalPosition)} class="number" />
        <Fact name="Checkpoint" class="number">
          {counted(checkpointPosition)}
          {behind > 0 && <span class="quiet">{`, ${counted(behind)} behind`}</span>}
        </Fact>
        <Fact
          name="Disk"
          is={
            disk === null ? 'not known' : `${sizeText(disk.freeBytes)} free of ${sizeText(disk.totalBytes)}`
          }
        />
        <Fact name="Accounts" is={counted(status.accounts)} class="number" />
        <Fact name="Products" is={counted(status.products)} class="number" />
        <Fact name="Orders" is={counted(status.orders)} class="number" />
      </Facts>
    </Panel>
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
    <Panel title="Ledger" beside={<span class="hint more">USDT</span>}>
      <Facts>
        {LEDGER_ROWS.map(([name, field]) => (
          // A minus is no debt here: deposits are where the money came from.
          <Fact key={field} name={name} is={<span class="money">{usdt(ledger[field])}</span>} />
        ))}
      </Facts>
      <p class="hint">The four add up to zero: what buyers paid in is in wallets, on hold, or earned.</p>
    </Panel>
  );
}
