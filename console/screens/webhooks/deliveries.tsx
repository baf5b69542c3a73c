/**
 * To deliver: the orders that wait for a person, the oldest first, one after the other.
 *
 * Invariant: the order on view changes only when somebody goes to another, or when it waits no more; and while a dialog
 * is open it stays in any case, for somebody is typing.
 */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { announce } from '../../parts/announcer.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { counted } from '../../parts/money.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { beat } from '../../shell/pulse.ts';
import { Screen } from '../../shell/screen.tsx';
import { DeliveryCard } from './delivery-card.tsx';
import { DeliveryQueue, type Queue, type WaitingOrder } from './delivery-queue.ts';
import { DeliveryRows } from './delivery-rows.tsx';

export function DeliveriesScreen() {
  const queue = useMemo(() => new DeliveryQueue(), []);
  const { answer, failure } = useLiveAnswer('deliveries', (signal) => queue.load(signal));
  return (
    <Screen title="To deliver" lead={answer && leadOf(answer)}>
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {answer === undefined && failure === undefined && <p class="loading">Loading…</p>}
      {answer !== undefined && <Waiting queue={answer} />}
    </Screen>
  );
}

function leadOf({ orders, isCut, atSuppliers }: Queue): string {
  const waiting = `${isCut ? 'the oldest ' : ''}${counted(orders.length)} by hand`;
  return atSuppliers === 0 ? waiting : `${waiting}, ${counted(atSuppliers)} more at suppliers`;
}

function Waiting({ queue: { orders, atSuppliers } }: { readonly queue: Queue }) {
  const { current, place, go, finish } = usePlace(orders);
  if (current === undefined) {
    return (
      <div class="empty">
        <p>Nothing waits for you.</p>
        {atSuppliers > 0 && (
          <p>{`${counted(atSuppliers)} wait for a supplier, which is still at work: Suppliers has them.`}</p>
        )}
      </div>
    );
  }
  const isThere = orders.some(({ orderId }) => orderId === current.orderId);
  return (
    <div class="queue">
      <div class="queue-now">
        <div class="queue-bar">
          <button type="button" disabled={place <= 0} onClick={() => go(-1)}>
            Previous
          </button>
          <button type="button" disabled={place >= orders.length - 1} onClick={() => go(1)}>
            Next
          </button>
          <span class="hint">{`${counted(place + 1)} of ${counted(Math.max(orders.length, place + 1))}`}</span>
        </div>
        {!isThere && <p class="notice is-waiting">This order was finished meanwhile, by somebody else.</p>}
        <DeliveryCard key={current.orderId} order={current} onDone={() => finish(current.orderId)} />
      </div>
      <DeliveryRows
        orders={orders}
        currentId={current.orderId}
        onGo={(orderId) => go(orders.findIndex((order) => order.orderId === orderId) - place)}
      />
    </div>
  );
}

function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

/** Which order is on view. */
function usePlace(orders: readonly WaitingOrder[]) {
  const [chosen, setChosen] = useState<{ readonly order: WaitingOrder; readonly place: number }>();
  const finished = useRef<number>(undefined);
  // So that an order which waits no more leaves soon after its dialog was closed.
  void beat.value;
  const found = orders.findIndex(({ orderId }) => orderId === chosen?.order.orderId);
  const isHeld =
    chosen !== undefined && found < 0 && finished.current !== chosen.order.orderId && isDialogOpen();
  const place = isHeld ? chosen.place : Math.min(found < 0 ? (chosen?.place ?? 0) : found, orders.length - 1);
  const current = isHeld ? chosen.order : orders[place];
  useEffect(() => {
    if (current?.orderId === chosen?.order.orderId && place === chosen?.place) return;
    if (chosen !== undefined && found < 0 && finished.current !== chosen.order.orderId)
      announce(`Order ${chosen.order.orderId} was finished meanwhile, by somebody else.`);
    setChosen(current === undefined ? undefined : { order: current, place });
  });
  return {
    current,
    place,
    go: (by: number) => {
      const to = Math.max(0, Math.min(orders.length - 1, place + by));
      const order = orders[to];
      if (order !== undefined) setChosen({ order, place: to });
    },
    finish: (orderId: number) => {
      finished.current = orderId;
    },
  };
}
