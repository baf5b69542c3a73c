/**
 * Messages between the main thread and the outbox's, over a journal that the test is: whatever the order in which
 * positions and changes of webhooks come, each position gets its answer. The main thread tells no other before.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Fact } from '../../../src/engine/fact.ts';
import { GENESIS } from '../../../src/persistence/journal/frame-log.ts';
import type { FactVisitor } from '../../../src/persistence/journal/journal-frame.ts';
import { createEnvironment } from '../../../src/persistence/lmdb/lmdb-environment.ts';
import { OUTBOX_FILE, OUTBOX_TABLES } from '../../../src/persistence/webhooks/outbox-file.ts';
import { OutboxStore } from '../../../src/persistence/webhooks/outbox-store.ts';
import { Outbox } from '../../../src/webhooks/outbox/thread/outbox.ts';
import { OutboxPasses } from '../../../src/webhooks/outbox/thread/outbox-passes.ts';
import { PassPace } from '../../../src/webhooks/outbox/thread/pass-pace.ts';
import { WebhookChanges } from '../../../src/webhooks/webhook-changes.ts';
import { randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { placed, START_MS, webhookRemoved, webhookSet } from './shop-facts.ts';

/** Far more than the longest that a pass is put off, and far less than the time after which one comes in any case. */
const PATIENCE_MS = 2_000;

interface Conversation {
  /** Facts that the journal has from now on, a frame each. */
  append(...facts: Fact[]): void;
  durable(position: number): void;
  changed(position: number): void;
  /** Lets time go by. */
  pass(durationMs: number): void;
  /** Positions that were told and not answered. */
  readonly unanswered: number;
}

async function conversation(t: TestContext): Promise<Conversation> {
  const folder = await createTemporaryFolder('outbox-passes');
  await createEnvironment(join(folder.path, OUTBOX_FILE), OUTBOX_TABLES);
  const store = OutboxStore.open(folder.path);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  t.after(async () => {
    t.mock.timers.reset();
    await store.close();
    await folder.remove();
  });
  const facts: Fact[] = [];
  let passedMs = 0;
  let unanswered = 0;
  const journal = {
    head: GENESIS,
    *visit(through: number, visitor: FactVisitor) {
      while (journal.head.position < through) {
        const position = journal.head.position + 1;
        const fact = facts[position - 1];
        assert.ok(fact, `fact ${position} is read before it is there`);
        journal.head = { position, hash: GENESIS.hash };
        visitor.fact(fact, position);
        yield position;
      }
    },
  };
  const nowMs = () => passedMs;
  const pace = new PassPace({ nowMs, waitedMs: () => 0 });
  const outbox = new Outbox({
    store,
    journal,
    clocks: { wallMs: () => START_MS + passedMs, monotonicMs: nowMs },
    changes: WebhookChanges.create(),
    windowMs: 1_000,
    retryWaitsMs: [60_000],
    historyMs: 86_400_000,
    places: 8,
    send: () => new Promise(() => {}),
    onWork: () => {},
    closeEventGroup: () => {},
    onDiscarded: () => {},
  });
  const say = {
    report: () => {
      unanswered = 0;
    },
    settled: () => {},
    delayed: () => {},
  };
  const passes = new OutboxPasses({
    outbox,
    pace,
    nowMs,
    say,
    onPassEnd: () => {},
  });
  passes.start();
  return {
    append: (...more) => void facts.push(...more),
    durable: (position) => {
      unanswered += 1;
      passes.durable(position, 0);
    },
    changed: (position) => passes.changed(position),
    pass: (durationMs) => {
      for (let step = 0; step < durationMs; step += 1) {
        passedMs += 1;
        t.mock.timers.tick(1);
      }
    },
    get unanswered() {
      return unanswered;
    },
  };
}

test('no position of a busy shop stays unanswered', async (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`PURSER_TEST_SEED=${random.seed}`);
  const outbox = await conversation(t);
  let durable = 0;
  let told = 0;
  for (let pass = 0; pass < 100; pass += 1) {
    for (let facts = random.between(0, 3); facts > 0; facts -= 1) {
      durable += 1;
      const accountId = random.between(1, 3);
      const fact = random.pick([
        placed(durable, { accountId }),
        webhookSet(accountId),
        webhookRemoved(accountId),
      ]);
      outbox.append(fact);
      if (fact.kind !== 'OrderPlaced') outbox.changed(durable);
    }
    outbox.pass(random.between(0, 20));
    if (outbox.unanswered === 0 && told < durable) {
      told = durable;
      outbox.durable(told);
    }
    if (random.chance(0.8)) continue;
    outbox.pass(PATIENCE_MS);
    assert.equal(outbox.unanswered, 0);
  }
});
