/** Many kills amid deliveries; one is in `test/crash/`. */
import { test } from 'node:test';
import { roundsOr } from '../../../support/random.ts';
import { killAmidDeliveries } from './webhooks.ts';

const ROUNDS = roundsOr(15);

test(
  `webhooks survive ${ROUNDS} kills under load, and are the same when read again`,
  {
    timeout: 240_000 + ROUNDS * 30_000,
  },
  (t) => killAmidDeliveries(t, ROUNDS, 800),
);
