/** Many kills under load, with files of the usual size and with small ones in turn; one is in `test/crash/`. */
import { test } from 'node:test';
import { roundsOr } from '../../../support/random.ts';
import { killAgainAndAgain } from './kill-minus-nine.ts';

const ROUNDS = roundsOr(16);
const rounds = Array.from({ length: ROUNDS }, (_, round) => (round % 3 < 2 ? 'usual files' : 'small files'));

test(
  `what was acknowledged survives ${ROUNDS} kills under load`,
  { timeout: 240_000 + ROUNDS * 30_000 },
  (t) => killAgainAndAgain(t, { rounds, maxPurchases: 2_000, withinMs: 900 }),
);
