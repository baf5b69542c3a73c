/** Thousands of runs of the simulation, of which the first tier has a few. */
import { testCrashes } from '../../simulation/crash-runs.ts';

testCrashes(6_000);
