/** Which suppliers are asked and how often, and what becomes of what they have forgotten. */
import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Supply } from '../../src/engine/supplies.ts';
import type { ProgressAnswer } from '../../src/suppliers/supplier-port.ts';
import { SupplyEndings, type SupplyEndingsOptions } from '../../src/suppliers/supply-endings.ts';
import { SupplyFollower, type SupplyFollowerOptions } from '../../src/suppliers/supply-follower.ts';
import { openSupply } from '../support/open-supply.ts';

const SILENT = 1;
const HEALTHY = 2;

function pending(supplyId: number, supplierId: number): Supply {
  return openSupply({ supplyId, supplierId, phase: 'pending', orderId: supplyId });
}

test('a healthy supplier is asked at every poll, whatever waits for a silent one', async (t) => {
  const supplies = new Map<number, Supply>();
  for (let supplyId = 1; supplyId <= 500; supplyId += 1) supplies.set(supplyId, pending(supplyId, SILENT));
  for (let supplyId = 501; supplyId <= 540; supplyId += 1) supplies.set(supplyId, pending(supplyId, HEALTHY));
  const asked = new Map<number, number>();
  let atSilent = 0;
  let mostAtSilent = 0;
  const end = new AbortController();
  const silence = new Promise<ProgressAnswer>((resolve) => {
    end.signal.addEventListener('abort', () => resolve({ kind: 'silent', why: 'the test is over' }));
  });
  const engine = { state: { supplies } };
  const follower = new SupplyFollower({
    engine,
    supplier: {
      progress: ({ supplyId, supplierId }: Supply) => {
        asked.set(supplyId, (asked.get(supplyId) ?? 0) + 1);
        if (supplierId === HEALTHY) return Promise.resolve({ kind: 'pending' });
        atSilent += 1;
        mostAtSilent = Math.max(mostAtSilent, atSilent);
        return silence;
      },
    },
    endings: new SupplyEndings({
      engine,
      isServed: () => false,
      clock: Date.now,
    } as unknown as SupplyEndingsOptions),
    pollMs: 10,
    clock: Date.now,
    onFault: (error: unknown) => assert.fail(String(error)),
  } as unknown as SupplyFollowerOptions);
  follower.start();
  t.after(() => {
    end.abort();
    return follower.stop();
  });
  const endMs = performance.now() + 60_000;
  while ([...supplies.keys()].slice(500).some((supplyId) => (asked.get(supplyId) ?? 0) < 3)) {
    assert.ok(performance.now() < endMs, 'the healthy supplier is not asked again and again');
    await delay(5);
  }
  assert.ok(mostAtSilent > 0 && mostAtSilent < 32, `the silent one is asked ${mostAtSilent} times at once`);
});

describe('a promised purchase that its supplier has never heard of', () => {
  const MINUTE_MS = 60_000;
  const POLL_MS = 30_000;

  /** What is submitted, with the minute, while the supplier says what it says at a minute. */
  async function ends(said: (minute: number) => ProgressAnswer['kind'], minutes = 40): Promise<string[]> {
    mock.timers.enable({ apis: ['setInterval'] });
    let nowMs = 0;
    const supplies = new Map([[7, pending(7, HEALTHY)]]);
    const submitted: string[] = [];
    const engine = {
      state: { supplies },
      submit: (command: { kind: string; supplyId?: number }, replyTo: (result: object) => void) => {
        submitted.push(`${command.kind} of ${command.supplyId} at ${nowMs / MINUTE_MS}`);
        supplies.clear();
        replyTo({});
      },
    };
    const clock = () => nowMs;
    const follower = new SupplyFollower({
      engine,
      supplier: { progress: async () => ({ kind: said(nowMs / MINUTE_MS) }) },
      endings: new SupplyEndings({
        engine,
        deliveries: { forget: async () => true },
        isServed: () => false,
        clock,
      } as unknown as SupplyEndingsOptions),
      pollMs: POLL_MS,
      clock,
      onFault: (error: unknown) => assert.fail(String(error)),
    } as unknown as SupplyFollowerOptions);
    follower.start();
    for (; nowMs < minutes * MINUTE_MS; nowMs += POLL_MS) {
      mock.timers.tick(POLL_MS);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    }
    await follower.stop();
    mock.timers.reset();
    return submitted;
  }

  test('fails, and its supply with it, when it is asked ten minutes after it said so first', async () => {
    const [end, ...others] = await ends((minute) => (minute < 15 ? 'pending' : 'unknown'));
    const [, minute] = /^FailOrder of 7 at ([\d.]+)$/.exec(end ?? '') ?? [];
    assert.ok(Number(minute) >= 25 && Number(minute) <= 30, end);
    assert.deepEqual(others, []);
  });

  test('waits on when the supplier remembers it meanwhile', async () => {
    assert.deepEqual(await ends((minute) => (minute % 8 < 5 ? 'unknown' : 'pending')), []);
  });

  test('waits on while the supplier says nothing, and fails by what it says afterwards', async () => {
    assert.deepEqual(await ends((minute) => (minute < 2 ? 'unknown' : 'silent')), []);
    const [end] = await ends((minute) => (minute > 2 && minute < 20 ? 'silent' : 'unknown'));
    assert.match(end ?? '', /^FailOrder of 7 at 2\d/);
  });
});
