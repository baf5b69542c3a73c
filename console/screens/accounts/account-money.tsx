/** The actions that put money into a wallet, and take it out. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { amount, givenReason, text } from '../../parts/forms/field.tsx';
import { usdt } from '../../parts/money.tsx';

type Account = Pick<Schema<'Account'>, 'accountId' | 'name'>;

const FIELDS = {
  amountUsdt: amount({
    label: 'Amount in USDT',
    hint: 'Negative: a debit, never below zero.',
  }),
  reference: text({
    label: 'Reference',
    maxLength: 128,
    hint: 'Yours, such as the number of a transfer. Each counts once.',
  }),
  reason: givenReason(),
};

export function AddCredit({ account: { accountId, name } }: { readonly account: Account }) {
  return (
    <Action
      name="Add credit"
      needs="POST /accounts/{id}/credits"
      look="primary"
      about={
        <>
          To the wallet of account {accountId}, {name}.
        </>
      }
      fields={FIELDS}
      command={({ amountUsdt, reference, reason: why }) =>
        purser('wallet credit', [accountId, amountUsdt], { reference, reason: why })
      }
      run={(body) => call('POST /accounts/{id}/credits', { path: { id: accountId }, body })}
      onDone={({ balanceUsdt, repeated }) => {
        const balance = `The balance is ${usdt(balanceUsdt)} USDT.`;
        announce(repeated ? `This reference was credited before: nothing was added. ${balance}` : balance);
      }}
    />
  );
}
