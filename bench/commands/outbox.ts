/**
 * The outbox's processor time for an event, from the fact to the stored result, without the sending: each attempt is
 * answered at once. A pass reads so many facts of 1,000 accounts, each with a receiver of its own, so the rows that it
 * writes lie apart as they do beside real traffic.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fact } from '../../src/engine/fact.ts';
import type { FrameLog } from '../../src/persistence/journal/frame-log.ts';
import { JournalReader } from '../../src/persistence/journal/journal-reader.ts';
import { JournalWriter } from '../../src/persistence/journal/journal-writer.ts';
import { createLog, openLog, openLogReader } from '../../src/persistence/journal/open-log.ts';
import { createEnvironment } from '../../src/persistence/lmdb/lmdb-environment.ts';
import { OUTBOX_FILE, OUTBOX_TABLES } from '../../src/persistence/webhooks/outbox-file.ts';
import { OutboxStore } from '../../src/persistence/webhooks/outbox-store.ts';
import type { DeliveryResult } from '../../src/webhooks/delivery/delivery-result.ts';
import { Outbox } from '../../src/webhooks/outbox/thread/outbox.ts';
import { WebhookChanges } from '../../src/webhooks/webhook-changes.ts';
import { repeatCells, repeatHeader } from '../measure/repeats.ts';
import { textTable } from '../measure/text-table.ts';
import { Purchases } from '../shop/purchases.ts';

const accounts = 1_000;
const factsPerTurn = [10, 50, 150];
const warmupEvents = 20_000;
const measuredEvents = 20_000;
const repeats = 3;
const answer: DeliveryResult = { status: 200, responseHead: '', durationMs: 5 };

/** `folder` is on the disk to measure. */
export async function measureOutbox(folder: string): Promise<string> {
  const rows: string[][] = [];
  for (const count of factsPerTurn) {
    const micros: number[] = [];
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const place = join(folder, `outbox-${count}-${repeat}`);
      await mkdir(place);
      micros.push(await microsOfEvent(place, count));
    }
    rows.push([String(count), ...repeatCells(micros, (value) => value.toFixed(1))]);
  }
  return textTable(['outbox, facts a pass', ...repeatHeader('µs of processors an event')], rows);
}

async function microsOfEvent(folder: string, count: number): Promise<number> {
  await createLog(folder);
  await createEnvironment(join(folder, OUTBOX_FILE), OUTBOX_TABLES);
  const log = openLog(folder);
  await new JournalWriter(log).append(
    1,
    Array.from({ length: accounts }, (_, index) => webhookSet(index + 1)),
  );
  const ends = await appendPurchases(log, count);
  const store = OutboxStore.open(folder);
  const reader = new JournalReader(openLogReader(folder), store.meta().head);
  const changes = WebhookChanges.create();
  changes.open(accounts);
  let delivered = 0;
  const outbox = new Outbox({
    store,
    journal: reader,
    clocks: { wallMs: Date.now, monotonicMs: () => performance.now() },
    changes,
    windowMs: 1_000,
    retryWaitsMs: [60_000],
    historyMs: 86_400_000,
    places: 2_048,
    send: async () => {
      delivered += 1;
      return answer;
    },
    onWork: () => {},
    closeEventGroup: () => {},
    onDiscarded: () => {},
  });
  outbox.catchUp(accounts);
  let from: { readonly cpu: NodeJS.CpuUsage; readonly events: number } | undefined;
  for (const end of ends) {
    if (from === undefined && delivered >= warmupEvents)
      from = { cpu: process.cpuUsage(), events: delivered };
    outbox.cursor.advance(end);
    outbox.pass();
    // Attempts end in microtasks; then what else they gave room for begins.
    await new Promise((resolve) => setImmediate(resolve));
    outbox.dispatch();
  }
  if (from === undefined) throw new Error(`only ${delivered} events were delivered`);
  const { user, system } = process.cpuUsage(from.cpu);
  const events = delivered - from.events;
  await store.close();
  await reader.close();
  await log.close();
  return (user + system) / events;
}

/** The positions at which passes of `count` facts end. */
async function appendPurchases(log: FrameLog, count: number): Promise<number[]> {
  const journal = new JournalWriter(log);
  const purchases = new Purchases();
  const ends: number[] = [];
  for (let done = 0; done < warmupEvents + measuredEvents; done += count) {
    const facts = Array.from({ length: count }, () => purchases.buy());
    await journal.append(log.head.position + 1, facts);
    ends.push(log.head.position);
  }
  return ends;
}

function webhookSet(accountId: number): Fact {
  const url = `https://receiver-${accountId}.test/`;
  const webhook = {
    url,
    events: ['order.completed'],
    balanceThresholdUsdt: null,
    sealedSecret: 'sealed',
  } as const;
  return { kind: 'WebhookSet', atMs: 0, accountId, webhook };
}
