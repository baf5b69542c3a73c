/** Some random histories of a cluster against the model (histories.ts); the suite has thousands. */
import { proveHistories } from './histories.ts';

proveHistories(20, 1);
