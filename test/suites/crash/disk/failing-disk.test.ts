/** Many writes of each file that fail, and disks that break; one round is in `test/crash/`. */
import { test } from 'node:test';
import { roundsOr } from '../../../support/random.ts';
import { failWrites, WRITTEN, type Written } from './failing-disk.ts';
import { whyNoFailingWrites } from './failing-writes.ts';

const FILES = Object.keys(WRITTEN) as Written[];
const ROUNDS = roundsOr(24);
const once = Array.from({ length: ROUNDS }, (_, round) => FILES[round % FILES.length] ?? 'journal');
const forGood = ['journal', 'checkpoint', 'list', 'run files', 'stock', 'webhooks'] as const;

test(
  `purchases go on after each of ${ROUNDS} failed writes; one that fails for good ends the node`,
  {
    skip: whyNoFailingWrites() ?? false,
    timeout: 300_000 + ROUNDS * 30_000,
  },
  (t) => failWrites(t, { once, forGood, pace: { purchaseEveryMs: 4, bots: 3 } }),
);
