/**
 * Groups of catalog and stock: the outbox's processor time for a purchase that nobody is told of by itself, beside that of
 * reading and proving the journal alone; and what kept groups take, and a page of them.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fact } from '../../src/engine/fact.ts';
import { GENESIS } from '../../src/persistence/journal/frame-log.ts';
import { JournalReader } from '../../src/persistence/journal/journal-reader.ts';
import { JournalWriter } from '../../src/persistence/journal/journal-writer.ts';
import { createLog, openLog, openLogReader } from '../../src/persistence/journal/open-log.ts';
import { createEnvironment } from '../../src/persistence/lmdb/lmdb-environment.ts';
import { eventNumber } from '../../src/persistence/webhooks/event-row.ts';
import { STOCK } from '../../src/persistence/webhooks/groups/group-block.ts';
import { GroupReader } from '../../src/persistence/webhooks/groups/group-reader.ts';
import { GroupWriter } from '../../src/persistence/webhooks/groups/group-writer.ts';
import { OUTBOX_FILE, OUTBOX_TABLES, OutboxBatch } from '../../src/persistence/webhooks/outbox-file.ts';
import { OutboxStore } from '../../src/persistence/webhooks/outbox-store.ts';
import { Outbox } from '../../src/webhooks/outbox/thread/outbox.ts';
import { WebhookChanges } from '../../src/webhooks/webhook-changes.ts';
import { Random } from '../../test/support/random.ts';
import { median } from '../measure/statistics.ts';
import { textTable } from '../measure/text-table.ts';
import { PlacedOrders } from '../shop/placed-orders.ts';

const purchases = 200_000;
const purchasesPerFrame = 20;
/** A pass a second without webhooks, a hundred with one. */
const perPass = { none: 4_000, stock: 40 } as const;
const passMs = { none: 1_000, stock: 10 } as const;
const groups = 1_000_000;
const productsPerGroup = 10;
const pageGroups = 100;
const pages = 200;

type Subscriber = keyof typeof perPass;

/** `folder` is on the disk to measure. */
export async function measureGroups(folder: string): Promise<string> {
  const [none, stock] = [join(folder, 'groups'), join(folder, 'groups-told')];
  const first = await writeJournal(none, 'none');
  const rows = [
    ['read and proved', await microsToRead(none)],
    ['nobody has a webhook', await microsOf(none, first, 'none')],
    ['one is told of stock', await microsOf(stock, await writeJournal(stock, 'stock'), 'stock')],
  ] as const;
  const cost = textTable(
    ['purchases and groups', 'µs of the processor a purchase'],
    rows.map(([what, micros]) => [what, micros.toFixed(2)]),
  );
  return `${cost}\n\n${await keptGroups(join(folder, 'groups-kept'))}`;
}

/** The position before the first purchase. */
async function writeJournal(folder: string, who: Subscriber): Promise<number> {
  await mkdir(folder);
  await createLog(folder);
  const log = openLog(folder);
  const append = (facts: readonly Fact[]) => new JournalWriter(log).append(log.head.position + 1, facts);
  const shop = new PlacedOrders({ accounts: 1_000, products: 100 });
  await append(shop.setup.map((fact) => ({ ...fact, atMs: 0 })));
  if (who === 'stock') {
    const kept = { balanceThresholdUsdt: null, sealedSecret: '' };
    const webhook = { url: 'https://receiver.test/', events: ['stock.changed'], ...kept } as const;
    await append([{ kind: 'WebhookSet', atMs: 0, accountId: 1, webhook }]);
  }
  const first = log.head.position;
  for (let done = 0; done < purchases; done += purchasesPerFrame)
    await append(Array.from({ length: purchasesPerFrame }, () => shop.place()));
  await log.close();
  return first;
}

async function microsToRead(folder: string): Promise<number> {
  const reader = new JournalReader(openLogReader(folder), GENESIS);
  const before = process.cpuUsage();
  for (const _ of reader.visit(Number.POSITIVE_INFINITY, { fact: () => {}, skipsPurchases: true }));
  const { user, system } = process.cpuUsage(before);
  await reader.close();
  return (user + system) / purchases;
}

async function microsOf(folder: string, first: number, who: Subscriber): Promise<number> {
  await createEnvironment(join(folder, OUTBOX_FILE), OUTBOX_TABLES);
  const store = OutboxStore.open(folder);
  const journal = new JournalReader(openLogReader(folder), store.meta().head);
  const changes = WebhookChanges.create();
  changes.open(first);
  let nowMs = 0;
  const outbox = new Outbox({
    store,
    journal,
    clocks: { wallMs: Date.now, monotonicMs: () => nowMs },
    changes,
    windowMs: 1_000,
    retryWaitsMs: [60_000],
    historyMs: 86_400_000,
    places: 2_048,
    send: async () => ({ status: 200, responseHead: '', durationMs: 5 }),
    onWork: () => {},
    closeEventGroup: () => {},
    onDiscarded: () => {},
  });
  outbox.catchUp(first);
  outbox.pass();
  const before = process.cpuUsage();
  for (let end = first; end < first + purchases; ) {
    end += perPass[who];
    nowMs += passMs[who];
    outbox.cursor.advance(Math.min(end, first + purchases));
    outbox.pass();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { user, system } = process.cpuUsage(before);
  await store.close();
  await journal.close();
  return (user + system) / purchases;
}

async function keptGroups(folder: string): Promise<string> {
  await mkdir(folder);
  await createEnvironment(join(folder, OUTBOX_FILE), OUTBOX_TABLES);
  const store = OutboxStore.open(folder);
  const writer = new GroupWriter(store);
  const random = new Random(1);
  const numberOf = (group: number) => eventNumber(1 + group * 20, 'stock.changed', 1);
  let batch = new OutboxBatch();
  for (let group = 0; group < groups; group += 1) {
    const ids = Array.from({ length: productsPerGroup }, () => random.between(1, 1_000));
    const entry = { number: numberOf(group), createdAtMs: group * 1_000, listed: [] };
    writer.add(STOCK, { ...entry, productIds: [...new Set(ids)] });
    if (writer.size < 1_000 && group < groups - 1) continue;
    writer.put(batch);
    store.commit(batch);
    batch = new OutboxBatch();
  }
  let bytes = 0;
  for (const { key, value } of store.file.tables.groups.getRange({})) bytes += key.length + value.length;
  const times = Array.from({ length: pages }, () => {
    const from = performance.now();
    let read = 0;
    for (const _ of new GroupReader(store).behind(1, numberOf(random.between(0, groups - pageGroups))))
      if (++read === pageGroups) break;
    return performance.now() - from;
  });
  await store.close();
  return textTable(
    [`${groups} groups of ${productsPerGroup} products`, ''],
    [
      ['bytes a group', (bytes / groups).toFixed(1)],
      [`ms a page of ${pageGroups}`, median(times).toFixed(2)],
    ],
  );
}
