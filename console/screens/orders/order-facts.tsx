/** The facts of an order: its buyer and product, its price, and its refunds. */
import { CopyButton } from '../../parts/copy-button.tsx';
import { counted, Money } from '../../parts/money.tsx';
import { Time } from '../../parts/time.tsx';
import { NameLink } from '../shell/known-names.tsx';
import type { OrderAnswer } from './order-money.tsx';

interface FactsProps {
  readonly order: OrderAnswer;
}

export function SalePanel({ order }: FactsProps) {
  const { accountId, productId, quantity, recipientUsername, createdAt } = order;
  return (
    <section class="panel" aria-labelledby="sale">
      <header>
        <h2 id="sale">Sale</h2>
      </header>
      <dl class="facts">
        <dt>Account</dt>
        <dd>
          <NameLink kind="account" id={accountId} />
        </dd>
        <dt>Product</dt>
        <dd>
          <NameLink kind="product" id={productId} />
        </dd>
        <dt>Quantity</dt>
        <dd>{counted(quantity)}</dd>
        {recipientUsername !== undefined && (
          <>
            <dt>For</dt>
            <dd>{recipientUsername}</dd>
          </>
        )}
        <dt>When</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
      </dl>
    </section>
  );
}

export function MoneyPanel({ order }: FactsProps) {
  const { totalPriceUsdt, refundedUsdt = 0, balanceAfterUsdt, status } = order;
  const isPaid = status !== 'processing';
  return (
    <section class="panel" aria-labelledby="money">
      <header>
        <h2 id="money">Money</h2>
      </header>
      <p class="figure">
        <Money amount={totalPriceUsdt} /> <small>USDT</small>
      </p>
      <dl class="facts">
        {refundedUsdt > 0 && (
          <>
            <dt>Refunded</dt>
            <dd>
              <Money amount={refundedUsdt} />
            </dd>
          </>
        )}
        <dt>{isPaid ? 'Wallet after it' : 'Wallet'}</dt>
        <dd>
          <Money amount={balanceAfterUsdt} />
        </dd>
        {!isPaid && (
          <>
            <dt>Paid</dt>
            <dd>not yet: the price is that of the payment</dd>
          </>
        )}
      </dl>
    </section>
  );
}

export function RequestPanel({ order: { idempotencyKey, purchaseRequestId } }: FactsProps) {
  return (
    <section class="panel" aria-labelledby="request">
      <header>
        <h2 id="request">Request</h2>
      </header>
      {idempotencyKey === undefined && purchaseRequestId === undefined && (
        <p class="hint">It was opened by an operator, not bought by the API.</p>
      )}
      {idempotencyKey !== undefined && <Handle name="Idempotency key" text={idempotencyKey} />}
      {purchaseRequestId !== undefined && <Handle name="Request id" text={purchaseRequestId} />}
    </section>
  );
}

/** A name by which a buyer knows the order, to copy. */
function Handle({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <div class="handle">
      <div>
        <span class="hint">{name}</span>
        <code>{text}</code>
      </div>
      <CopyButton text={text} what={name} />
    </div>
  );
}
