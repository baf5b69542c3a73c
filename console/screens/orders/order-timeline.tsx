/**
 * The events of an order, oldest first: facts, webhooks and their attempts, with who did it and why.
 *
 * The timeline is asked for when the order has changed, and else every ten seconds, for attempts: each answer makes the
 * node write its newest facts into the checkpoint first, and an open tab should cost purchases nothing.
 */
import { useEffect, useState } from 'preact/hooks';
import { isAborted, NodeAway } from '../../api/api-failure.ts';
import type { AnswerOf, Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { counted, usdt } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { awaySince } from '../../shell/pulse.ts';
import { addressOf } from '../../shell/router.ts';
import type { OrderAnswer } from './order-money.tsx';

type Event = Schema<'TimelineEvent'>;
type Timeline = AnswerOf<'GET /orders/{id}/timeline'>;

const AGAIN_MS = 10_000;

const WORDS: Readonly<Record<string, string>> = {
  Requested: 'The purchase was requested',
  OrderPlaced: 'Bought',
  OrderOpened: 'Opened by an operator',
  OrderPaid: 'Paid',
  OrderCancelled: 'Ended unpaid',
  OrderDelivered: 'Delivered',
  OrderFailed: 'Failed',
  OrderRefunded: 'Refunded',
  OrderItemsReplaced: 'Items replaced',
  OrderRecovered: 'Recovered after a restore',
  OrderAmended: 'Amended by a receipt',
  HoldPlaced: 'Money set aside, a supplier asked',
  HoldPassed: 'It sold nothing, the next source asked',
  HoldCaptured: 'The supplier took it',
  HoldReleased: 'The money set aside returned',
  SupplierPurchaseReconciled: 'The supplier said how it ended',
  ItemTextsShown: 'Items were shown',
  ItemsSearched: 'Found by the text of an item',
  WebhookEvent: 'Webhook',
  WebhookAttempt: 'Attempt to send it',
};

/** Told in words of their own, or by the screen around. */
const TOLD = new Set([
  'at',
  'type',
  'operator',
  'reason',
  'status',
  'orderId',
  'accountId',
  'productId',
  'seq',
  'epoch',
]);

export function OrderTimeline({ order }: { readonly order: OrderAnswer }) {
  const { timeline, failure } = useTimeline(order);
  const { events = [], omitted = 0 } = timeline ?? {};
  return (
    <Panel title="Timeline">
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {timeline === undefined && failure === undefined && <p class="loading">Loading…</p>}
      <ol class="timeline">
        {events.map((event, place) => (
          <EventRow key={place} event={event} accountId={order.accountId} />
        ))}
      </ol>
      {omitted > 0 && <p class="hint">{`${counted(omitted)} events in the middle are left out.`}</p>}
      {timeline?.webhooksOmitted && <p class="hint">The webhook of the purchase may be missing.</p>}
    </Panel>
  );
}

function useTimeline(order: OrderAnswer) {
  const { requestId: _, ...state } = order;
  const { orderId } = order;
  const [held, setHeld] = useState<{ readonly timeline?: Timeline; readonly failure?: unknown }>({});
  const version = JSON.stringify(state);
  const isAway = awaySince.value !== undefined;
  useEffect(() => {
    if (isAway) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      if (!document.hidden) {
        try {
          const timeline = await call('GET /orders/{id}/timeline', { path: { id: orderId }, signal });
          if (!signal.aborted) setHeld({ timeline });
        } catch (failure) {
          const isTold = isAborted(failure) || failure instanceof NodeAway || signal.aborted;
          if (!isTold) setHeld((before) => ({ ...before, failure }));
        }
      }
      if (!signal.aborted) timer = setTimeout(() => void ask(), AGAIN_MS);
    };
    void ask();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [version, isAway]);
  return held;
}

function EventRow({ event, accountId }: { readonly event: Event; readonly accountId: number }) {
  const { at, type, operator, reason, status, ...rest } = event;
  const isWebhook = type === 'WebhookEvent';
  const details = Object.entries(rest).filter(([name]) => !TOLD.has(name));
  return (
    <li class={type === 'WebhookAttempt' ? 'is-part' : undefined}>
      <Time at={at} />
      <div>
        <p class="what">
          {isWebhook ? (
            <a href={addressOf('webhooks', accountId)}>{WORDS.WebhookEvent}</a>
          ) : (
            <span title={type}>{WORDS[type] ?? type}</span>
          )}
          {status !== undefined && <StatusOf status={status} />}
          {operator !== undefined && <span class="hint">{`by ${String(operator)}`}</span>}
        </p>
        {reason !== undefined && <p class="why">{String(reason)}</p>}
        {details.length > 0 && (
          <p class="details hint">
            {details.map(([name, value]) => (
              <span key={name}>
                {wordsOf(name)} <span class="mono">{textOf(name, value)}</span>
              </span>
            ))}
          </p>
        )}
      </div>
    </li>
  );
}

/** The status of a step. A receiver's is a number. */
function StatusOf({ status }: { readonly status: unknown }) {
  if (typeof status !== 'number') return <StatusBadge status={String(status)} />;
  return <StatusBadge status={String(status)} tone={status >= 200 && status < 300 ? 'good' : 'bad'} />;
}

/** `supplierPurchaseId`: supplier purchase. */
function wordsOf(name: string): string {
  return name.replace(/(Usdt|Id|Ms)$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function textOf(name: string, value: unknown): string {
  if (name.endsWith('Usdt') && typeof value === 'number') return usdt(value);
  if (name === 'durationMs') return `${Math.round(Number(value))} ms`;
  if (name === 'error' && isFault(value)) return `${value.code}: ${value.message}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Why an attempt had no answer. */
function isFault(value: unknown): value is { readonly code: string; readonly message: string } {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value;
}
