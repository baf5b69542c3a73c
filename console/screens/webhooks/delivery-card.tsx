/** One order that waits for a person: what is to be delivered, to whom, and how. */
import { call } from '../../api/operator-api.ts';
import { Fact, Facts } from '../../parts/facts.tsx';
import { counted, Money } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
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
    <Panel
      title={<a href={addressOf('orders', orderId)}>{`Order ${orderId}`}</a>}
      beside={
        <span class="hint">
          <Ago at={createdAt} />
        </span>
      }
      look="delivery"
    >
      <p class="wanted">
        {`${counted(quantity)} × `}
        <a href={addressOf('products', productId)}>{product?.name ?? `product ${productId}`}</a>
      </p>
      <Facts>
        <Fact name="For" is={recipientUsername} class="recipient" />
        <Fact name="Account" is={<NameLink kind="account" id={accountId} />} />
        <Fact name="Paid">
          <Money amount={totalPriceUsdt} /> USDT
        </Fact>
        <Fact name="Bought" is={<Time at={createdAt} />} />
        <Fact
          name="Described as"
          is={product !== undefined && product.description !== '' && product.description}
          class="prose"
        />
      </Facts>
      <div class="buttons">
        <Fail orderId={orderId} isPaid onDone={onDone} />
        <CompleteDelivery orderId={orderId} quantity={quantity} onDone={onDone} />
      </div>
    </Panel>
  );
}
