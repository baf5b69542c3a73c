/** One order: what it is, what it delivered, what happened to it, and the steps that its status allows. */
import { useState } from 'preact/hooks';
import type { Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { Screen } from '../../shell/screen.tsx';
import { DeliveryPanel } from './order-delivery.tsx';
import { MoneyPanel, RequestPanel, SalePanel } from './order-facts.tsx';
import { type OrderAnswer, Pay, Refund } from './order-money.tsx';
import { CompleteDelivery, Fail, ReplaceItems } from './order-steps.tsx';
import { OrderTimeline } from './order-timeline.tsx';

export function OrderScreen({ id }: { readonly id: number }) {
  // Another order has no tick of this one.
  return <OneOrder key={id} id={id} />;
}

function OneOrder({ id }: { readonly id: number }) {
  const { answer: order, failure } = useLiveAnswer(`order ${id}`, (signal) =>
    call('GET /orders/{id}', { path: { id }, query: { items: false }, signal }),
  );
  const productId = order?.productId;
  // While the order is not known, there is nothing to ask.
  const { answer: product } = useLiveAnswer(`product ${productId}`, async (signal) =>
    productId === undefined
      ? undefined
      : await call('GET /products/{id}', { path: { id: productId }, signal }),
  );
  const [ticked, setTicked] = useState<readonly number[]>([]);
  return (
    <Screen
      title={`Order ${id}`}
      lead={order && <StatusBadge status={order.status} />}
      actions={
        order && (
          <OrderActions order={order} type={product?.type} ticked={ticked} onDone={() => setTicked([])} />
        )
      }
    >
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {order === undefined && failure === undefined && <p class="loading">Loading…</p>}
      {order !== undefined && (
        <>
          <div class="panels">
            <SalePanel order={order} />
            <MoneyPanel order={order} />
            <RequestPanel order={order} />
          </div>
          <DeliveryPanel order={order} isFile={product?.type === 'file'} ticked={ticked} onTick={setTicked} />
          <OrderTimeline order={order} />
        </>
      )}
    </Screen>
  );
}

interface ActionsProps {
  readonly order: OrderAnswer;
  readonly ticked: readonly number[];
  readonly onDone: () => void;
  readonly type: Schema<'Product'>['type'] | undefined;
}

function OrderActions({ order, type, ticked, onDone }: ActionsProps) {
  const { orderId, status, quantity } = order;
  // By their keys they stay, with what somebody types, when the status changes meanwhile.
  switch (status) {
    case 'processing':
      return (
        <>
          <Fail key="fail" orderId={orderId} isPaid={false} />
          <Pay key="pay" order={order} />
        </>
      );
    case 'pending_delivery':
      return (
        <>
          <Refund key="refund" order={order} ticked={[]} />
          <Fail key="fail" orderId={orderId} isPaid />
          <CompleteDelivery key="complete" orderId={orderId} quantity={quantity} />
        </>
      );
    case 'completed':
      return (
        <>
          {type === 'standard' && (
            <ReplaceItems key="replace" orderId={orderId} ticked={ticked} onDone={onDone} />
          )}
          <Refund key="refund" order={order} ticked={ticked} onDone={onDone} />
        </>
      );
    default:
      return null;
  }
}
