/** The contract of the log's port, held by the log of a node that leads, whose shared log is PostgreSQL's. */
import { postgresSharedLog } from '../../cluster/shared-log.ts';
import { LeadersLog, testFrameLog } from '../../persistence/frame-log-contract.ts';
import { whyNoRig } from '../../support/postgres-rig.ts';

const open = async () => LeadersLog.open(await postgresSharedLog());
testFrameLog("leader's, on PostgreSQL,", open, (await whyNoRig()) ?? false);
