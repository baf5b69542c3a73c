/** Every change passes a few runs of the simulation (crash-runs.ts); `npm run test:sim` has thousands. */
import { testCrashes } from './crash-runs.ts';

testCrashes(38);
