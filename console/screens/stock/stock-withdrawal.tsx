/** Takes unsold items out of stock and shows their texts; and shows again those that were taken out last. */
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { reason, whole } from '../../parts/forms/field.tsx';
import { counted } from '../../parts/money.tsx';
import { ItemTexts } from './item-texts.tsx';

/** The API's bound. */
const MOST = 10_000;

interface OfProduct {
  readonly productId: number;
}

type Stocked = Pick<Schema<'Product'>, 'productId' | 'availableStock' | 'supplierId'>;

export function WithdrawStock({ product }: { readonly product: Stocked }) {
  const { productId } = product;
  return (
    <Action
      name="Withdraw stock"
      needs="DELETE /products/{id}/stock"
      isGrave
      about="The oldest unsold items leave the stock, and their texts are shown here. They may be imported again."
      fields={{ count: whole({ label: 'Count', min: 1, max: MOST, initial: 1 }), reason: reason() }}
      command={(given) => purser('stock withdraw', [productId], given)}
      question={({ count }) => whetherFewer(product, count)}
      run={(query, { idempotencyKey }) =>
        call('DELETE /products/{id}/stock', { path: { id: productId }, query, idempotencyKey })
      }
      onDone={({ withdrawn }) => announce(`Withdrawn: ${counted(withdrawn)}`)}
      result={({ items, withdrawn, availableStock }) => (
        <>
          <p>
            {withdrawn === 0
              ? 'There was nothing to withdraw.'
              : `Withdrawn: ${counted(withdrawn)}. In stock: ${stockText(availableStock)}.`}
          </p>
          {withdrawn > 0 && <ItemTexts items={items} fileName={`withdrawn-${productId}.txt`} />}
        </>
      )}
    />
  );
}

/** The node withdraws as many as there are, and tells how many of own stock only together with what a supplier has. */
function whetherFewer({ availableStock, supplierId }: Stocked, count: number): string | undefined {
  if (supplierId !== undefined)
    return `Nothing is withdrawn yet: what the supplier has stays there. It would be ${counted(count)} of own stock, or as many as it has.`;
  return availableStock === 'unlimited' || availableStock >= count
    ? undefined
    : `Nothing is withdrawn yet: in stock are ${counted(availableStock)}, so it would be all of them, and not ${counted(count)}.`;
}

export function ShowWithdrawn({ productId }: OfProduct) {
  return (
    <Action
      name="Show withdrawn"
      needs="GET /products/{id}/stock/withdrawn"
      about="Items that were withdrawn, the last ones first. That you saw them is kept in the audit."
      fields={{ limit: whole({ label: 'Count', min: 1, max: MOST, initial: 100 }) }}
      command={(given) => purser('stock withdrawn', [productId], given)}
      run={(query) => call('GET /products/{id}/stock/withdrawn', { path: { id: productId }, query })}
      result={({ items, nextCursor }) => (
        <>
          <p>
            {items.length === 0
              ? 'Nothing was withdrawn.'
              : `The last ${counted(items.length)} that were withdrawn${nextCursor === undefined ? ': all' : ''}.`}
          </p>
          {items.length > 0 && (
            <ItemTexts items={items.map(({ text }) => text)} fileName={`withdrawn-${productId}.txt`} />
          )}
        </>
      )}
    />
  );
}

function stockText(stock: number | 'unlimited'): string {
  return stock === 'unlimited' ? 'unlimited' : counted(stock);
}
