/**
 * The rows that may need somebody, each with the way to its screen. They stand always, so that the eye knows where to
 * look.
 */
import type { AnswerOf } from '../../api/call-types.ts';
import { counted } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { sizeText } from '../../parts/size.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { spanOf } from '../../parts/time.tsx';
import { nodeStatus } from '../../shell/pulse.ts';
import { addressOf } from '../../shell/router.ts';

type Overview = AnswerOf<'GET /overview'>;

interface Row {
  readonly what: string;
  readonly href: string;
  readonly state: string;
  /** Absent: nothing to do. */
  readonly tone?: 'waiting' | 'bad';
}

/** The node counts no further. */
const MOST_DELIVERIES = 1_000;
const LATE_SECONDS = 60;
const LITTLE_ROOM = 0.1;

export function AttentionPanel({ overview }: { readonly overview: Overview }) {
  return (
    <Panel title="Needs somebody">
      <ul class="attention">
        {rowsOf(overview).map(({ what, href, state, tone }) => (
          <li key={what}>
            <a href={href}>{what}</a>
            {tone === undefined ? (
              <span class="quiet">{state}</span>
            ) : (
              <StatusBadge status={state} tone={tone} />
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function rowsOf({ attention, backup, disk, ...key }: Overview): readonly Row[] {
  return [
    salesRow(),
    deliveriesRow(attention),
    ...supplierRows(attention),
    webhooksRow(attention),
    {
      what: 'Alerts that fire',
      href: addressOf('node'),
      ...(attention.alertsFiring === 0 ? NONE : { state: counted(attention.alertsFiring), tone: 'bad' }),
    },
    ...backupRows(backup),
    keyRow(key),
    diskRow(disk),
  ];
}

const NONE = { state: 'none' } as const;

function salesRow(): Row {
  const row = { what: 'Sales', href: addressOf('node') };
  if (nodeStatus.value?.sales !== 'closed') return { ...row, state: 'open' };
  return { ...row, state: 'closed after a restore', tone: 'bad' };
}

function deliveriesRow({ deliveries }: Overview['attention']): Row {
  const row = { what: 'To deliver by hand', href: addressOf('deliveries') };
  if (deliveries === 0) return { ...row, ...NONE };
  const least = deliveries >= MOST_DELIVERIES ? ' or more' : '';
  return { ...row, state: `${counted(deliveries)}${least}`, tone: 'waiting' };
}

function supplierRows(attention: Overview['attention']): readonly Row[] {
  const { supplierPurchasesOpen: open, supplierPurchasesUnresolved: unresolved } = attention;
  const circuits = attention.supplierCircuitsOpen;
  const href = addressOf('suppliers');
  const openText =
    unresolved === 0 ? `${counted(open)} open` : `${counted(open)} open, ${counted(unresolved)} unresolved`;
  return [
    {
      what: 'Supplier purchases',
      href,
      ...(open === 0 ? NONE : { state: openText, tone: unresolved === 0 ? 'waiting' : 'bad' }),
    },
    {
      what: 'Suppliers that do not answer',
      href,
      ...(circuits === 0 ? NONE : { state: counted(circuits), tone: 'bad' }),
    },
  ];
}

function webhooksRow({ webhooksFailing, webhookEventsPending }: Overview['attention']): Row {
  const row = { what: 'Failing webhooks', href: addressOf('webhooks') };
  const waiting = webhookEventsPending === 0 ? '' : `, ${counted(webhookEventsPending)} events wait`;
  if (webhooksFailing === 0) return { ...row, state: `none${waiting}` };
  return { ...row, state: `${counted(webhooksFailing)}${waiting}`, tone: 'bad' };
}

function backupRows(backup: Overview['backup']): readonly Row[] {
  const href = addressOf('node');
  if (backup === null) return [{ what: 'Backup', href, state: 'no continuous one', tone: 'waiting' }];
  const { lagSeconds, drillOk, drillAgeSeconds } = backup;
  const age = drillAgeSeconds === null ? '' : ` ${spanOf(drillAgeSeconds * 1_000)} ago`;
  return [
    {
      what: 'Backup',
      href,
      state: lagSeconds < 1 ? 'has everything' : `${spanOf(lagSeconds * 1_000)} behind`,
      ...(lagSeconds >= LATE_SECONDS && { tone: 'bad' }),
    },
    {
      what: 'Backup drill',
      href,
      ...(drillOk === null
        ? { state: 'none yet', tone: 'waiting' }
        : drillOk
          ? { state: `passed${age}` }
          : { state: `failed${age}`, tone: 'bad' }),
    },
  ];
}

/** A backup without its key is none, and a key that lies in the folder is lost with it. */
function keyRow({ masterKeyFrom, masterKeySaved }: Pick<Overview, 'masterKeyFrom' | 'masterKeySaved'>): Row {
  const row = { what: 'Master key', href: addressOf('node') };
  if (masterKeyFrom === 'environment') return { ...row, state: 'from the environment' };
  if (masterKeySaved) return { ...row, state: 'saved: keep it elsewhere' };
  return { ...row, state: 'in the data folder: keep a copy elsewhere', tone: 'waiting' };
}

function diskRow(disk: Overview['disk']): Row {
  const row = { what: 'Disk', href: addressOf('node') };
  if (disk === null) return { ...row, state: 'not known' };
  const { freeBytes, totalBytes } = disk;
  const state = `${sizeText(freeBytes)} free of ${sizeText(totalBytes)}`;
  return { ...row, state, ...(freeBytes < totalBytes * LITTLE_ROOM && { tone: 'waiting' }) };
}
