/** Thousands of random histories of a cluster against the model (test/cluster/histories.ts). */
import { availableParallelism } from 'node:os';
import { proveHistories } from '../../cluster/histories.ts';

proveHistories(2_000, availableParallelism());
