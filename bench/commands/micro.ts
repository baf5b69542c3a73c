/**
 * The costs of a purchase's parts on their own, in one thread: one section a subject.
 *
 * These figures say where the time of a change went; whether it matters is for the contention benchmark to
 * say. The journal's section waits for the disk, so it measures the disk as much as the code.
 *
 * Each is measured several times over, after one warm-up, and is the median of the repeats; how far they lie apart says
 * how sure it is (`repeats.ts`). The disk's times have a long tail, so its section has twice the time a repeat.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as tick } from 'node:timers/promises';
import { Bench } from 'tinybench';
import { noHistory } from '../../src/engine/decide/history.ts';
import { Engine } from '../../src/engine/loop/engine.ts';
import { ByteReader } from '../../src/persistence/codec/byte-reader.ts';
import { ByteWriter } from '../../src/persistence/codec/byte-writer.ts';
import { readFact, writeFact } from '../../src/persistence/journal/fact-codec.ts';
import type { FrameLog } from '../../src/persistence/journal/frame-log.ts';
import { JournalWriter } from '../../src/persistence/journal/journal-writer.ts';
import { createLog, openLog } from '../../src/persistence/journal/open-log.ts';
import { repeatCells, repeatHeader, wholeNumber } from '../measure/repeats.ts';
import { spread } from '../measure/statistics.ts';
import { textTable } from '../measure/text-table.ts';
import { Purchases, purchaseCommand, purchaseFacts } from '../shop/purchases.ts';
import { measureFold } from './fold.ts';
import { measureGroups } from './groups.ts';
import { measureOutbox } from './outbox.ts';

const groupSizes = [1, 32, 256];
const repeats = 7;
const repeatMs = 500;
const diskRepeatMs = 1_000;
const purchasesInFlight = 1_000;
const durablePurchasesPerRound = 200_000;
const durableRounds = 5;

/** `folder` is empty and on the disk to measure. */
export async function runMicro(folder: string, print: (text: string) => void): Promise<void> {
  for (const bench of [decideAndApply(), factCodec(), await journal(folder)]) {
    print(await measured(bench));
  }
  print(await durablePurchases(folder));
  print(await measureFold(folder));
  print(await measureOutbox(folder));
  print(await measureGroups(folder));
}

function decideAndApply(): Bench {
  const bench = new Bench({ name: 'decide and apply', time: repeatMs, warmup: false });
  const buyer = new Purchases();
  bench.add('a purchase, new key', () => buyer.buy());
  const repeated = new Purchases();
  repeated.buy();
  bench.add('a purchase, key known', () => repeated.repeat());
  return bench;
}

function factCodec(): Bench {
  const bench = new Bench({ name: 'fact codec', time: repeatMs, warmup: false });
  const [fact] = purchaseFacts(1);
  if (fact === undefined) throw new Error('a purchase gave no fact');
  const writer = new ByteWriter();
  bench.add('write OrderPlaced', () => {
    writer.reset();
    writeFact(writer, fact);
  });
  const own = new ByteWriter();
  writeFact(own, fact);
  const bytes = own.copy();
  bench.add('read OrderPlaced', () => {
    readFact(new ByteReader(bytes));
  });
  return bench;
}

/** The whole engine on the real journal, without HTTP: a closed loop with 1,000 purchases in flight. */
async function durablePurchases(folder: string): Promise<string> {
  const place = join(folder, 'engine');
  await mkdir(place);
  await createLog(place);
  const purchases = new Purchases();
  const log = openLog(place);
  const journal = new JournalWriter(log);
  await journal.append(1, purchases.setup);
  const fail = (error: unknown): never => {
    throw error;
  };
  const engine = new Engine({
    state: purchases.state,
    history: noHistory,
    journal,
    clock: Date.now,
    defer: setImmediate,
    rebuild: () => fail(new Error('the disk is full')),
    roomAgain: () => Promise.resolve(),
    onFatal: fail,
    onFault: fail,
  });
  const perSecond: number[] = [];
  for (let round = 0; round < durableRounds; round += 1) {
    const startedMs = performance.now();
    await placeAll(engine, round);
    perSecond.push((durablePurchasesPerRound / (performance.now() - startedMs)) * 1000);
    engine.cut(() => engine.forget());
  }
  await log.close();
  const header = ['engine, durable, 1,000 in flight', ...repeatHeader('purchases/s')];
  return textTable(header, [[`${durableRounds} rounds`, ...repeatCells(perSecond, wholeNumber)]]);
}

function placeAll(engine: Engine, round: number): Promise<void> {
  return new Promise((resolve) => {
    let sent = 0;
    let answered = 0;
    const place = () => {
      if (sent === durablePurchasesPerRound) return;
      sent += 1;
      engine.submit(purchaseCommand(sent, `round-${round}-${sent}`), () => {
        answered += 1;
        if (answered === durablePurchasesPerRound) resolve();
        else place();
      });
    };
    for (let flight = 0; flight < purchasesInFlight; flight += 1) place();
  });
}

async function journal(folder: string): Promise<Bench> {
  const bench = new Bench({ name: 'journal, fsync on', time: diskRepeatMs, warmup: false });
  for (const size of groupSizes) {
    const own = join(folder, `groups-of-${size}`);
    await mkdir(own);
    await createLog(own);
    const facts = purchaseFacts(size);
    let log: FrameLog | undefined;
    bench.add(
      `append ${size} purchase${size === 1 ? '' : 's'}`,
      async () => {
        if (log !== undefined) await new JournalWriter(log).append(log.head.position + 1, facts);
      },
      {
        beforeAll: () => {
          log = openLog(own);
        },
        afterAll: async () => {
          await log?.close();
          log = undefined;
        },
      },
    );
  }
  return bench;
}

async function measured(bench: Bench): Promise<string> {
  const results = new Map<string, { perSecond: number; p50: number; p99: number }[]>();
  for (const task of bench.tasks) await task.warmup();
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    // Without a tick of the event loop, Ctrl-C would wait for the end of the section.
    await tick();
    bench.reset();
    await bench.run();
    for (const { name, result } of bench.tasks) {
      if (result.state !== 'completed') throw new Error(`${name}: ${result.state}`);
      const { latency, period } = result;
      const one = { perSecond: 1_000 / period, p50: latency.p50 * 1_000, p99: latency.p99 * 1_000 };
      results.set(name, [...(results.get(name) ?? []), one]);
    }
  }
  const rows = [...results].map(([name, ofTask]) => [
    name,
    range(ofTask.map(({ p50 }) => p50)),
    range(ofTask.map(({ p99 }) => p99)),
    ...repeatCells(
      ofTask.map(({ perSecond }) => perSecond),
      wholeNumber,
    ),
  ]);
  return textTable([bench.name ?? '', 'p50 µs', 'p99 µs', ...repeatHeader('a second')], rows);
}

function range(values: readonly number[]): string {
  const { median, min, max } = spread(values) ?? { median: Number.NaN, min: Number.NaN, max: Number.NaN };
  return `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
}
