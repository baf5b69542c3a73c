/** The first order of a shop, in the place of the steps that led to it. */
import { call } from '../../api/operator-api.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { addressOf } from '../../shell/router.ts';

/** The newest are read: whoever sells a thousand before somebody looks has seen that it works. */
const LOOKED_AT = 20;

export function FirstSold() {
  const { answer } = useLiveAnswer('first sold', (signal) =>
    call('GET /orders', { query: { limit: LOOKED_AT }, signal }),
  );
  // Of more than that the first is none of these.
  const first = answer?.nextCursor === undefined ? answer?.orders.at(-1) : undefined;
  if (first === undefined) return null;
  return (
    <section class="panel" aria-labelledby="first-sold">
      <h2 id="first-sold">Your first order is there</h2>
      <p>
        <a href={addressOf('orders', first.orderId)}>Order {first.orderId}</a>{' '}
        <StatusBadge status={first.status} /> From here on, buyers’ programs buy by themselves.
      </p>
    </section>
  );
}
