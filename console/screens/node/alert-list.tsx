/** Alerts: what goes on, and what was told lately; each with the way to what it is about. Their messages are the node's. */
import type { AnswerOf, Schema } from '../../api/call-types.ts';
import { Scrolled } from '../../parts/list/scrolled.tsx';
import { counted } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Ago, Time } from '../../parts/time.tsx';
import { addressOf } from '../../shell/router.ts';

type Alerts = AnswerOf<'GET /alerts'>;
type Firing = Schema<'FiringState'>;
type Alert = Schema<'Alert'>;

/** The most firing alerts on the panel of Overview. */
const SHOWN_FIRING = 8;

/** The alerts that fire, the first few. */
export function FiringPanel({ alerts }: { readonly alerts: Alerts }) {
  const { firing, firingCount } = alerts;
  return (
    <Panel
      title="Alerts"
      beside={
        <>
          <FiringCount count={firingCount} />
          <a class="more" href={addressOf('node')}>
            Latest alerts
          </a>
        </>
      }
    >
      <FiringList firing={firing.slice(0, SHOWN_FIRING)} />
      {firingCount > SHOWN_FIRING && (
        <p class="hint">{`and ${counted(firingCount - SHOWN_FIRING)} more, on the screen Node.`}</p>
      )}
    </Panel>
  );
}

/** The alerts that fire, and those that did. */
export function AlertsPanel({ alerts: { firing, firingCount, recent } }: { readonly alerts: Alerts }) {
  return (
    <Panel title="Alerts" beside={<FiringCount count={firingCount} />}>
      <FiringList firing={firing} />
      <h3 id="recent">Latest</h3>
      {recent.length === 0 ? (
        <p class="hint">None since the start. Those before are in the node’s log.</p>
      ) : (
        <Scrolled label="Latest alerts">
          <ul class="alerts is-recent">
            {grouped(recent).map(({ alert, count }) => (
              <RecentRow key={`${alert.at} ${alert.error} ${alert.message}`} alert={alert} count={count} />
            ))}
          </ul>
        </Scrolled>
      )}
    </Panel>
  );
}

function FiringCount({ count }: { readonly count: number }) {
  return count > 0 && <StatusBadge status={`${counted(count)} firing`} tone="bad" />;
}

function FiringList({ firing }: { readonly firing: readonly Firing[] }) {
  if (firing.length === 0) return <p class="hint">Nothing fires.</p>;
  return (
    <ul class="alerts">
      {firing.map((alert, index) => (
        <li key={`${alert.error} ${alert.since} ${index}`}>
          <p>
            <AlertLink alert={alert} />{' '}
            <span class="quiet">
              since <Ago at={alert.since} />
            </span>
          </p>
          <p>{alert.message}</p>
        </li>
      ))}
    </ul>
  );
}

function RecentRow({ alert, count }: { readonly alert: Alert; readonly count: number }) {
  const { at, state, message } = alert;
  return (
    <li>
      <Time at={at} />
      <p>
        <AlertLink alert={alert} />{' '}
        {state !== undefined && <StatusBadge status={state} tone={state === 'firing' ? 'bad' : 'good'} />}
        {count > 1 && <span class="badge">{`${counted(count)} times`}</span>}
      </p>
      <p>{message}</p>
    </li>
  );
}

interface Group {
  /** The newest of them. */
  readonly alert: Alert;
  readonly count: number;
}

/** The alerts as groups. Equal ones in a row are one group: a program that runs wild sends hundreds. */
function grouped(recent: readonly Alert[]): readonly Group[] {
  const groups: { alert: Alert; count: number }[] = [];
  for (const alert of recent) {
    const last = groups.at(-1);
    if (last !== undefined && isSame(last.alert, alert)) last.count += 1;
    else groups.push({ alert, count: 1 });
  }
  return groups;
}

function isSame(one: Alert, other: Alert): boolean {
  return (['error', 'message', 'state', 'accountId'] as const).every((field) => one[field] === other[field]);
}

function AlertLink({ alert }: { readonly alert: Firing | Alert }) {
  return (
    <a href={placeOf(alert)}>
      <code>{alert.error}</code>
    </a>
  );
}

/** The places of alerts. An alert with several ids is about the first of these. */
const PLACES = [
  ['orderId', 'orders'],
  ['productId', 'products'],
  ['accountId', 'accounts'],
] as const;

function placeOf(alert: Firing | Alert): string {
  if (alert.error === 'WEBHOOK_EVENT_DISCARDED' && typeof alert.accountId === 'number')
    return addressOf('webhooks', alert.accountId);
  if (alert.error === 'DELIVERY_OVERDUE') return addressOf('deliveries');
  if (alert.error === 'DEPOSIT_UNCLAIMED' || alert.error === 'DEPOSITS_SILENT') return addressOf('deposits');
  for (const [field, screen] of PLACES) {
    const id = alert[field];
    if (typeof id === 'number' && id > 0) return addressOf(screen, id);
  }
  return addressOf(typeof alert.supplierId === 'number' ? 'suppliers' : 'node');
}
