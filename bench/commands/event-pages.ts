/**
 * How long a page of 100 of GET /events takes on a folder with many orders: `npm run bench -- events`. An account has a tenth
 * of all orders, one has a thousand that lie far apart, and one has ten.
 *
 * The journal is built in frames of a hundred facts, folded, and packed, as a node does with old segments. The pages are made
 * as in the thread that makes them, without HTTP; what they read is mostly in the system's memory, for it was just written.
 */
import { mkdirSync } from 'node:fs';
import type { Fact } from '../../src/engine/fact.ts';
import type { WebhookEventType } from '../../src/engine/webhook.ts';
import type { EventSource } from '../../src/feed/account-events.ts';
import { eventPage } from '../../src/feed/event-page.ts';
import type { EventPage } from '../../src/feed/event-question.ts';
import {
  checkpointIn,
  createCheckpoint,
  openCheckpoint,
} from '../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold } from '../../src/persistence/checkpoint/checkpoint-fold.ts';
import { ByteWriter } from '../../src/persistence/codec/byte-writer.ts';
import { encodeFrame, frameHash } from '../../src/persistence/journal/journal-frame.ts';
import { JournalPacking } from '../../src/persistence/journal/journal-packing.ts';
import { buildLog, openLogReader } from '../../src/persistence/journal/open-log.ts';
import { Random } from '../../test/support/random.ts';
import { textTable } from '../measure/text-table.ts';
import { accountOf, PlacedOrders } from '../shop/placed-orders.ts';
import { processorMicros } from '../store/look-ups.ts';

const ACCOUNTS = 1_000;
const PRODUCTS = 200;
const FRAME_FACTS = 100;
const APPEND_FACTS = 250_000;
const REFUND_EVERY = 50;
const LIMIT = 100;
const PAGES = 100;

/** Accounts with so many of all orders, evenly. */
const [MANY, FAR_APART, FEW] = [1, 2, 3];
const OF_FAR_APART = 1_000;
const OF_FEW = 10;

/** `folder` is empty. */
export async function measureEventPages(folder: string, orders: number): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const startMs = performance.now();
  const position = await build(folder, orders);
  const builtSeconds = Math.round((performance.now() - startMs) / 1_000);
  const store = openCheckpoint(folder);
  const log = openLogReader(folder);
  const rows = [
    measure('a tenth of all orders', { store, log, position, accountId: MANY }),
    measure('a thousand orders', { store, log, position, accountId: FAR_APART }),
    measure('ten orders', { store, log, position, accountId: FEW }),
    measure('a thousand: refunds', { store, log, position, accountId: FAR_APART, types: ['order.refunded'] }),
    measure('a tenth: refunds', { store, log, position, accountId: MANY, types: ['order.refunded'] }),
    measure('a tenth: of a type without any', {
      store,
      log,
      position,
      accountId: MANY,
      types: ['order.failed'],
    }),
  ];
  store.close();
  await log.close();
  const built = `${orders.toLocaleString('en')} orders, built, folded and packed in ${builtSeconds} s`;
  return `${textTable(['pages of 100 events of an account with', 'events', 'first ms', 'median', 'p99', 'of processor, ms'], rows)}\n${built}\n`;
}

interface Asked extends Pick<EventSource, 'store' | 'log'> {
  readonly position: number;
  readonly accountId: number;
  readonly types?: readonly WebhookEventType[];
}

/** Pages from anywhere. */
function measure(name: string, { store, log, position, accountId, types }: Asked): string[] {
  const random = new Random(1);
  const times: number[] = [];
  let events = 0;
  const began = processorMicros();
  for (let count = 0; count < PAGES; count += 1) {
    const kept = random.between(1, Math.floor(position * 0.85));
    const startMs = performance.now();
    const page = eventPage(
      { store, log, epochs: [], kept, groups: undefined },
      {
        ...{
          accountId,
          after: 0,
          types,
          hasGroups: false,
          limit: LIMIT,
          through: position,
          folded: position,
        },
        ...{ recent: new Float64Array(0), hasMoreRecent: false, keptFromMs: 0 },
      },
    ) as EventPage;
    times.push(performance.now() - startMs);
    events += page.events.length;
  }
  const processorMs = (processorMicros() - began) / 1_000 / PAGES;
  const [first = 0] = times;
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(share * PAGES)] ?? 0).toFixed(2);
  return [name, (events / PAGES).toFixed(0), first.toFixed(2), at(0.5), at(0.99), processorMs.toFixed(2)];
}

/** Gives the position of the last fact. */
async function build(folder: string, orders: number): Promise<number> {
  const placed = new PlacedOrders({
    accounts: ACCOUNTS,
    products: PRODUCTS,
    ownerOf: (orderId) => ownerOf(orderId, orders),
  });
  const log = await buildLog(folder);
  const scratch = new ByteWriter();
  let [facts, head]: [Fact[], { position: number; hash: Buffer }] = [[...placed.setup], log.head];
  createCheckpoint(folder);
  const fold = new CheckpointFold(checkpointIn(folder), openLogReader(folder));
  const write = async () => {
    const frames: Buffer[] = [];
    for (let at = 0; at < facts.length; at += FRAME_FACTS) {
      const group = facts.slice(at, at + FRAME_FACTS);
      const frame = encodeFrame(scratch, head.position + 1, group, head.hash);
      head = { position: head.position + group.length, hash: frameHash(frame) };
      frames.push(frame);
    }
    await log.append(frames);
    facts = [];
    fold.foldThrough(head.position);
    while (fold.mergePart());
  };
  for (let orderId = 1; orderId <= orders; orderId += 1) {
    const fact = placed.place();
    facts.push(fact);
    if (isRefunded(orderId, fact.order.accountId)) facts.push(placed.refund(fact.order));
    if (facts.length >= APPEND_FACTS) await write();
  }
  await write();
  await fold.close();
  await log.close();
  const packing = new JournalPacking(folder, () => openLogReader(folder));
  while (packing.step(head.position) !== false);
  return head.position;
}

function ownerOf(orderId: number, orders: number): number {
  if (orderId % 10 === 0) return MANY;
  if (orderId % Math.floor(orders / OF_FEW) === 1) return FEW;
  if (orderId % Math.floor(orders / OF_FAR_APART) === 2) return FAR_APART;
  return FEW + accountOf(orderId, ACCOUNTS - FEW);
}

function isRefunded(orderId: number, accountId: number): boolean {
  return accountId === FAR_APART || orderId % REFUND_EVERY === 0;
}
