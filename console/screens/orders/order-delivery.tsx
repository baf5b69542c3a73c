/**
 * The texts that an order delivered. They are hidden until somebody asks for them, because to be shown them goes on
 * record; items can be ticked without their texts, for a refund or for new ones.
 *
 * Invariant: texts that are on view are those of the order as it is now; when it changes they are hidden again.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AnswerOf, Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { counted } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { askNow } from '../../shell/pulse.ts';
import { may } from '../../shell/roles.ts';
import type { OrderAnswer } from './order-money.tsx';

type Delivery = NonNullable<AnswerOf<'GET /orders/{id}'>['delivery']>;

/** A list of more rows in one go stalls the page. */
const MORE_ITEMS = 200;

interface DeliveryProps {
  readonly order: OrderAnswer;
  readonly isFile: boolean;
  readonly ticked: readonly number[];
  readonly onTick: (ticked: readonly number[]) => void;
}

export function DeliveryPanel({ order, isFile, ticked, onTick }: DeliveryProps) {
  const { shown, failure, show, hide } = useTexts(order);
  const items = shown?.items ?? [];
  // Those who may deliver see texts: for the call is open to all who read, and then leaves them out.
  const mayShow = order.status === 'completed' && may('POST /orders/{id}/complete');
  return (
    <Panel
      title="Delivery"
      beside={ticked.length > 0 && <span class="hint">{`${counted(ticked.length)} ticked`}</span>}
      actions={
        <>
          {items.length > 0 && <CopyButton text={items.join('\n')} what="items" />}
          {mayShow && (
            // One button, so that the focus stays.
            <button type="button" class="small" onClick={shown === undefined ? () => void show() : hide}>
              {shown === undefined ? 'Show items' : 'Hide items'}
            </button>
          )}
        </>
      }
    >
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {order.status !== 'completed' && <p class="hint">{whyNone(order.status)}</p>}
      {order.status === 'completed' && shown === undefined && (
        <p class="hint">
          {mayShow ? 'Hidden. To show them goes on record.' : 'Your role does not see texts.'}
        </p>
      )}
      {shown?.downloadUrl !== undefined && <p>{`A file, at ${shown.downloadUrl}`}</p>}
      {shown !== undefined && items.length === 0 && shown.downloadUrl === undefined && (
        <p class="hint">It was completed without a text.</p>
      )}
      {order.status === 'completed' && !isFile && (
        <ItemList order={order} texts={shown?.items} ticked={ticked} onTick={onTick} />
      )}
    </Panel>
  );
}

function whyNone(status: OrderAnswer['status']): string {
  if (status === 'processing') return 'Nothing yet: it is not paid.';
  if (status === 'pending_delivery') return 'Nothing yet: it is to be delivered.';
  return status === 'failed' ? 'Nothing was delivered.' : 'Nothing any more: all of it is refunded.';
}

function useTexts(order: OrderAnswer) {
  const { orderId, status, refundedUsdt, adjustments = [] } = order;
  const [shown, setShown] = useState<Delivery>();
  const [failure, setFailure] = useState<unknown>(undefined);
  const isAsking = useRef(false);
  const version = `${orderId} ${status} ${refundedUsdt} ${adjustments.length}`;
  useEffect(() => setShown(undefined), [version]);
  const show = async () => {
    // Each answer goes on record.
    if (isAsking.current) return;
    isAsking.current = true;
    setFailure(undefined);
    try {
      const { delivery = {} } = await call('GET /orders/{id}', { path: { id: orderId } });
      setShown(delivery);
      void askNow();
    } catch (error) {
      setFailure(error);
    } finally {
      isAsking.current = false;
    }
  };
  return { shown, failure, show, hide: () => setShown(undefined) };
}

interface ItemListProps extends Omit<DeliveryProps, 'isFile'> {
  readonly texts: readonly string[] | undefined;
}

function ItemList({ order, texts, ticked, onTick }: ItemListProps) {
  const [most, setMost] = useState(MORE_ITEMS);
  const count = texts?.length ?? order.quantity;
  const notes = notesOf(order.adjustments ?? []);
  const mayAct = may('POST /orders/{id}/refund');
  const setTicked = (place: number, isOn: boolean) => {
    const others = ticked.filter((other) => other !== place);
    onTick(isOn ? [...others, place].sort((a, b) => a - b) : others);
  };
  if (texts === undefined && !mayAct && notes.size === 0) return null;
  return (
    <>
      <ol class="items" start={0}>
        {Array.from({ length: Math.min(count, most) }, (_, place) => (
          <li key={place}>
            {mayAct && (
              <input
                type="checkbox"
                aria-label={`Item ${place}`}
                checked={ticked.includes(place)}
                onChange={({ currentTarget }) => setTicked(place, currentTarget.checked)}
              />
            )}
            <span class="number">{place}</span>
            <span class={texts === undefined ? 'hidden-text' : 'mono'}>{texts?.[place] ?? '••••••'}</span>
            <span class="hint">{notes.get(place)}</span>
          </li>
        ))}
      </ol>
      {count > most && (
        <button type="button" class="small" onClick={() => setMost(most + MORE_ITEMS)}>
          {`Show more of ${counted(count)}`}
        </button>
      )}
    </>
  );
}

function notesOf(adjustments: readonly Schema<'Adjustment'>[]): ReadonlyMap<number, string> {
  const notes = new Map<number, string>();
  for (const { kind, items = [] } of adjustments) {
    for (const place of items) {
      const before = notes.get(place);
      const note = kind === 'refund' ? 'refunded' : 'replaced';
      if (before?.includes(note) !== true)
        notes.set(place, before === undefined ? note : `${before}, ${note}`);
    }
  }
  return notes;
}
