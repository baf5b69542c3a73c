/** The folder is lost many times; once it is in `test/crash/`. */
import { test } from 'node:test';
import { roundsOr } from '../../../support/random.ts';
import { loseFolders } from './restore.ts';

const ROUNDS = roundsOr(12);

test(
  `${ROUNDS} times the folder is lost: what the backup had is exact, and receipts close the gap`,
  {
    timeout: 240_000 + ROUNDS * 60_000,
  },
  (t) => loseFolders(t, ROUNDS, 600),
);
