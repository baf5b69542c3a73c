/** What is done to a price list as a whole: a new one, another name or percent, and its end. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { ReasonAction } from '../../parts/dialogs/reason-action.tsx';
import { amount, type Field, reason, text } from '../../parts/forms/field.tsx';
import { counted } from '../../parts/money.tsx';
import { addressOf, goTo } from '../../shell/router.ts';

type PriceList = Pick<Schema<'PriceList'>, 'priceListId' | 'name' | 'percent' | 'accounts'>;

function percentField(initial: number | null): Field<number | undefined> {
  return {
    ...amount({
      label: 'Percent',
      isOptional: true,
      initial: initial ?? '',
      hint: 'Of what it does not name: −10 is 10 % off the product’s prices, 5 is 5 % more. Empty: what the product costs.',
    }),
    control: {
      kind: 'input',
      attributes: {
        type: 'text',
        pattern: '[+\\-−]?[0-9]{1,4}(\\.[0-9]{1,2})?',
        title: 'From −99 to 1000, with up to 2 decimals',
        autocomplete: 'off',
      },
    },
    read: (typed) => (typed === '' ? undefined : Number(typed.replace('−', '-'))),
  };
}

export function NewPriceList() {
  return (
    <Action
      name="New price list"
      needs="POST /price-lists"
      look="primary"
      about="It names no product yet, and no account has it."
      fields={{ name: text({ label: 'Name' }), percent: percentField(null), reason: reason() }}
      command={(given) => purser('price-list create', [], given)}
      run={(body, { idempotencyKey }) => call('POST /price-lists', { body, idempotencyKey })}
      onDone={({ priceListId, name }) => {
        announce(`Price list ${priceListId} is there: ${name}`);
        goTo(addressOf('price-lists', priceListId));
      }}
    />
  );
}

export function ChangePriceList({ list: { priceListId, name, percent } }: { readonly list: PriceList }) {
  return (
    <Action
      name="Change price list"
      needs="PATCH /price-lists/{id}"
      look="small"
      about="The next purchase of each of its accounts has the new prices."
      fields={{
        name: text({ label: 'Name', initial: name }),
        percent: percentField(percent),
        reason: reason(),
      }}
      command={(given) =>
        purser('price-list update', [priceListId], {
          name: given.name === name ? undefined : given.name,
          percent: given.percent ?? 'none',
          reason: given.reason,
        })
      }
      run={(given) =>
        call('PATCH /price-lists/{id}', {
          path: { id: priceListId },
          body: { ...given, percent: given.percent ?? null },
        })
      }
      onDone={() => announce('The price list is changed.')}
    />
  );
}

export function DeletePriceList({ list: { priceListId, name, accounts } }: { readonly list: PriceList }) {
  return (
    <ReasonAction
      name="Delete price list"
      needs="DELETE /price-lists/{id}"
      isGrave
      about={
        accounts === 0
          ? `${name} and its prices go for good. No account has it.`
          : `${counted(accounts)} ${accounts === 1 ? 'account buys' : 'accounts buy'} by ${name}. Only a list that no account has can be deleted: give them another one first.`
      }
      command={(given) => purser('price-list delete', [priceListId], given)}
      run={(query) => call('DELETE /price-lists/{id}', { path: { id: priceListId }, query })}
      onDone={() => {
        announce(`Price list ${priceListId} is deleted.`);
        goTo(addressOf('price-lists'));
      }}
    />
  );
}
