/** A disk that is full again and again; one round is in `test/crash/`. */
import { test } from 'node:test';
import { roundsOr } from '../../../support/random.ts';
import { whyNoSmallDisk } from '../../../support/small-disk.ts';
import { fillDisk } from './full-disk.ts';

const FILLINGS = roundsOr(6);

test(
  `the disk is full ${FILLINGS} times: purchases fail, and nothing is lost or doubled, nor by a kill then`,
  {
    skip: whyNoSmallDisk() ?? false,
    timeout: 240_000 + FILLINGS * 120_000,
  },
  (t) => fillDisk(t, { fillings: FILLINGS, stock: 6_000, pace: { bots: 2 } }),
);
