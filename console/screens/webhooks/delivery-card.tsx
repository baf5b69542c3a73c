/** One order that waits for a person: what is to be delivered, to whom, and how. */
import { call } from '../../api/operator-api.ts';
import { counted, Money } from '../../parts/money.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { addressOf } from '../../shell/router.ts';
import { CompleteDelivery, Fail } from '../orders/order-steps.tsx';
import { NameLink } from '../shell/known-names.tsx';
import type { WaitingOrder } from './delivery-queue.ts';

interface CardProps {
  readonly order: WaitingOrder;
  readonly onDone: () => void;
}

export function DeliveryCard({ order, onDone }: CardProps) {
  const { orderId, accountId, productId, quantity, recipientUsername, createdAt, totalPriceUsdt } = order;
  const { answer: product } = useLiveAnswer(`product ${productId}`, (signal) =>
    call('GET /products/{id}', { path: { id: productId }, signal }),
  );
  return (
    <section class="panel delivery" aria-labelledby="waiting">
      <header>
        <h2 id="waiting">
          <a href={addressOf('orders', orderId)}>{`Order ${orderId}`}</a>
        </h2>
        <span class="hint">
          <Ago at={createdAt} />
        </span>
      </header>
      <p class="wanted">
        {`${counted(quantity)} × `}
        <a href={addressOf('products', productId)}>{product?.name ?? `product ${productId}`}</a>
      </p>
      <dl class="facts">
        {recipientUsername !== undefined && (
          <>
            <dt>For</dt>
            <dd class="recipient">{recipientUsername}</dd>
          </>
        )}
        <dt>Account</dt>
        <dd>
          <NameLink kind="account" id={accountId} />
        </dd>
        <dt>Paid</dt>
        <dd>
          <Money amount={totalPriceUsdt} /> USDT
        </dd>
        <dt>Bought</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
        {product !== undefined && product.description !== '' && (
          <>
            <dt>Described as</dt>
            <dd class="prose">{product.description}</dd>
          </>
        )}
      </dl>
      <div class="buttons">
        <Fail orderId={orderId} isPaid onDone={onDone} />
        <CompleteDelivery orderId={orderId} quantity={quantity} onDone={onDone} />
      </div>
    </section>
  );
}
