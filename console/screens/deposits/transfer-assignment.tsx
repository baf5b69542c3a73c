/** Credits an unclaimed transfer to an account, after its name and its balance before and after were on view. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { found, reason } from '../../parts/forms/field.tsx';
import type { Find } from '../../parts/forms/find-control.tsx';
import { Money, usdt } from '../../parts/money.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';

const MOST_FOUND = 6;

const findAccounts: Find = async (search, signal) => {
  const { accounts } = await call('GET /accounts', { query: { search, limit: MOST_FOUND }, signal });
  return accounts.map(({ accountId: id, name, externalId }) => ({
    id,
    name,
    beside: externalId !== null && <span class="quiet">{externalId}</span>,
  }));
};

const FIELDS = {
  accountId: found({ label: 'Account', find: findAccounts, hint: 'Its id, or a part of its name.' }),
  reason: reason(),
};

export function AssignTransfer({ transfer }: { readonly transfer: Schema<'Deposit'> }) {
  const { reference = '', amountUsdt } = transfer;
  return (
    <Action
      name="Assign"
      openerLabel={`Assign ${reference}`}
      needs="POST /deposits/unclaimed/{reference}/assign"
      look="small"
      about={
        <>
          <Money amount={amountUsdt} /> USDT go to the wallet of the account, once and for good. The transfer:{' '}
          <code>{reference}</code>
        </>
      }
      fields={FIELDS}
      preview={({ accountId }) =>
        Number.isNaN(accountId) ? null : <Consequences accountId={accountId} amountUsdt={amountUsdt} />
      }
      previewBelow="accountId"
      command={({ accountId: account, reason: why }) =>
        purser('deposits assign', [], { reference, account, reason: why })
      }
      run={(body) => call('POST /deposits/unclaimed/{reference}/assign', { path: { reference }, body })}
      onDone={({ accountId, balanceUsdt }) =>
        announce(
          `${usdt(amountUsdt)} USDT are credited to account ${accountId}, which has ${usdt(balanceUsdt)}.`,
        )
      }
    />
  );
}

interface ConsequencesProps {
  readonly accountId: number;
  readonly amountUsdt: number;
}

function Consequences({ accountId, amountUsdt }: ConsequencesProps) {
  const { answer: account, failure } = useLiveAnswer(`account ${accountId}`, (signal) =>
    call('GET /accounts/{id}', { path: { id: accountId }, signal }),
  );
  if (failure !== undefined) return <ErrorNotice failure={failure} />;
  if (account === undefined) return null;
  const { name, balanceUsdt } = account;
  return (
    <div role="status" class="answer">
      <Facts>
        <Fact name="Account" is={`${accountId} ${name}`} />
        <Fact name="Balance now" is={<Money amount={balanceUsdt} />} />
        <Fact name="Balance after" is={<Money amount={Number((balanceUsdt + amountUsdt).toFixed(6))} />} />
      </Facts>
    </div>
  );
}
