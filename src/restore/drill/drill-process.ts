/**
 * The process of a drill: restores a backup up to the point that it is told, proves it, compares it with the state of
 * the running node there, and reports. A process of its own, because it takes memory and a processor for as long as a
 * restore does, and may die of a backup that is bad; the node's threads share memory with purchases.
 *
 * The target is read as `purser restore` does, by the same code. The node that started the process removes its folder.
 */
import { openTarget } from '../../backup/target/open-target.ts';
import { figuresOf } from '../../engine/state-figures.ts';
import { loadState, openCheckpoint } from '../../persistence/checkpoint/checkpoint.ts';
import { giveWayWhole } from '../../threads/give-way.ts';
import { BackupSource } from '../backup-source.ts';
import { restore } from '../restore.ts';
import { planRestore } from '../restore-plan.ts';
import { givenMasterKey } from '../restored-keys.ts';
import type { DrillPoint, DrillReport, DrillRequest } from './drill-messages.ts';
import { hashOfFigures } from './figures-hash.ts';

/** Throws an error of one line. */
async function drill({ source, masterKey, point, folder }: DrillRequest): Promise<void> {
  const { seq, hash } = point.position;
  const target = openTarget(source, process.env, { makesFolder: false });
  try {
    const key = givenMasterKey(masterKey, 'PURSER_MASTER_KEY');
    const plan = await planRestore(new BackupSource(target, { onWait }), key, { seq });
    if (plan.position.position !== seq || plan.position.hash.toString('hex') !== hash)
      throw new Error(`the backup has another history than this node at fact ${seq}`);
    // A restore of all would be refused.
    const [altered] = plan.passedOver;
    if (altered !== undefined) throw new Error(`${altered} at ${plan.source} is not what the shop wrote`);
    await restore(plan, folder, {
      key,
      beginsEpoch: false,
      nowMs: Date.now(),
      onProgress: goOn,
      print: goOn,
    });
    await compare(folder, point);
  } finally {
    await target.close();
  }
}

async function compare(folder: string, { position: { seq }, figures }: DrillPoint): Promise<void> {
  const checkpoint = openCheckpoint(folder);
  try {
    const state = loadState(checkpoint);
    if ((await hashOfFigures(figuresOf(state))) !== figures)
      throw new Error(`the restored shop has other balances or stock than this node had at fact ${seq}`);
  } finally {
    checkpoint.close();
  }
}

function onWait(line: string | undefined): void {
  report({ kind: 'waits', line });
}

function goOn(): void {
  report({ kind: 'goesOn' });
}

function report(what: DrillReport): void {
  process.send?.(what);
}

giveWayWhole();
// Without its node nobody would remove what it makes.
process.on('disconnect', () => process.exit(1));
process.once('message', (request: DrillRequest) => {
  drill(request).then(
    () => end(null),
    (error: unknown) => end((error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''),
  );
});

/** Reports the end. The node that started the process then kills it. */
function end(error: string | null): void {
  report({ kind: 'ended', error });
}
