/** Some rounds of backups at targets that fail at random (failing-targets.ts); the suite `restore` has many. */
import { proveAtFailingTargets } from './failing-targets.ts';

proveAtFailingTargets(3);
