/** Many rounds of backups at targets that fail at random (test/backup/failing-targets.ts). */
import { proveAtFailingTargets } from '../../backup/failing-targets.ts';

proveAtFailingTargets(75);
