/** Many kills between hold and answer; one is in `test/crash/`. */
import { test } from 'node:test';
import { roundsOr } from '../../../support/random.ts';
import { interruptSuppliers } from './supplier-interrupted.ts';

const ROUNDS = roundsOr(24);

test(
  `no kill of ${ROUNDS} or more between hold and answer loses or doubles anything`,
  {
    timeout: 300_000 + ROUNDS * 90_000,
  },
  (t) => interruptSuppliers(t, ROUNDS),
);
