/** The actions that move an order's money: paying one from the bot, and returning all of it or a part. */
import type { AnswerOf } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { amount, givenReason, reason } from '../../parts/forms/field.tsx';
import { usdt } from '../../parts/money.tsx';
import { itemPlaces } from '../stock/item-places.ts';

export type OrderAnswer = AnswerOf<'GET /orders/{id}'>;

export function Pay({ order: { orderId, accountId, totalPriceUsdt } }: { readonly order: OrderAnswer }) {
  return (
    <Action
      name="Pay"
      needs="POST /orders/{id}/pay"
      look="primary"
      about={`From the wallet of account ${accountId}, at the price of this moment.`}
      fields={{
        expectedPriceUsdt: amount({
          label: 'Expected price in USDT',
          initial: totalPriceUsdt,
          isOptional: true,
          hint: 'Of the whole order. At another price nothing is paid. Empty: at any.',
        }),
        reason: reason(),
      }}
      command={({ expectedPriceUsdt, reason: why }) =>
        purser('order pay', [orderId], { 'expected-price': expectedPriceUsdt, reason: why })
      }
      run={(body) => call('POST /orders/{id}/pay', { path: { id: orderId }, body })}
      onDone={({ status }) => announce(`Order ${orderId} is paid: ${status.replaceAll('_', ' ')}.`)}
    />
  );
}

interface RefundProps {
  readonly order: OrderAnswer;
  readonly ticked: readonly number[];
  readonly onDone?: () => void;
}

export function Refund({ order, ticked, onDone }: RefundProps) {
  const { orderId, accountId, status, totalPriceUsdt, refundedUsdt = 0 } = order;
  const left = usdt(Math.round((totalPriceUsdt - refundedUsdt) * 1e6) / 1e6);
  return (
    <Action
      name="Refund"
      needs="POST /orders/{id}/refund"
      isGrave
      about={`To the wallet of account ${accountId}. ${left} USDT are left of the order. Items are not taken back.`}
      fields={{
        amountUsdt: amount({
          label: 'Amount in USDT',
          isOptional: true,
          hint: `Empty, and no items named: all that is left, ${left}.`,
        }),
        ...(status === 'completed' && {
          items: itemPlaces({
            label: 'Items',
            isOptional: true,
            ticked,
            hint: 'Instead of an amount, the shares of these. Numbers; the first is 0.',
          }),
        }),
        reason: givenReason(),
      }}
      command={({ amountUsdt, items = [], reason: why }) =>
        purser('order refund', [orderId], {
          amount: amountUsdt,
          items: items.join(',') || undefined,
          reason: why,
        })
      }
      run={({ amountUsdt, items = [], reason: why }, { idempotencyKey }) =>
        call('POST /orders/{id}/refund', {
          path: { id: orderId },
          idempotencyKey,
          body: { amountUsdt, items: items.length === 0 ? undefined : items, reason: why },
        })
      }
      onDone={(answer) => {
        const all = `Refunded of order ${orderId}: ${usdt(answer.refundedUsdt ?? 0)} USDT in all.`;
        announce(answer.repeated ? `That was refunded before, and is not again. ${all}` : all);
        onDone?.();
      }}
    />
  );
}
