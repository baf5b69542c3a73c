/** The orders that wait before and after the one on view, to see them and to go there. */
import { counted } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Ago } from '../../parts/time.tsx';
import { useName } from '../shell/known-names.tsx';
import type { WaitingOrder } from './delivery-queue.ts';

const BEFORE = 5;
const SHOWN = 40;

interface RowsProps {
  readonly orders: readonly WaitingOrder[];
  readonly currentId: number;
  readonly onGo: (orderId: number) => void;
}

export function DeliveryRows({ orders, currentId, onGo }: RowsProps) {
  const place = orders.findIndex(({ orderId }) => orderId === currentId);
  const first = Math.max(0, place - BEFORE);
  const shown = orders.slice(first, first + SHOWN);
  const after = orders.length - first - shown.length;
  return (
    <Panel
      title="Queue"
      beside={first > 0 && <span class="hint">{`${counted(first)} older`}</span>}
      look="queue-rows"
    >
      <ol>
        {shown.map((order) => (
          <li key={order.orderId}>
            <Row order={order} isCurrent={order.orderId === currentId} onGo={onGo} />
          </li>
        ))}
      </ol>
      {after > 0 && <p class="hint">{`${counted(after)} more`}</p>}
    </Panel>
  );
}

interface RowProps {
  readonly order: WaitingOrder;
  readonly isCurrent: boolean;
  readonly onGo: (orderId: number) => void;
}

function Row({ order: { orderId, productId, quantity, createdAt }, isCurrent, onGo }: RowProps) {
  const name = useName('product', productId) ?? `product ${productId}`;
  return (
    <button type="button" aria-current={isCurrent ? 'true' : undefined} onClick={() => onGo(orderId)}>
      <span class="number">{orderId}</span>
      <span class="name">{`${counted(quantity)} × ${name}`}</span>
      <Ago at={createdAt} />
    </button>
  );
}
