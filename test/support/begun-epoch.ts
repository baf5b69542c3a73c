/** What a restore leaves, of a folder that lies there: a new epoch, and a gap behind the last fact. */
import { epochBegun } from '../../src/engine/epoch-begun.ts';
import { KeyFilter } from '../../src/engine/key-filter.ts';
import { openCheckpoint } from '../../src/persistence/checkpoint/checkpoint-tables.ts';
import { JournalWriter } from '../../src/persistence/journal/journal-writer.ts';
import { openLog } from '../../src/persistence/journal/open-log.ts';
import { recover } from '../../src/persistence/recovery.ts';

/** No node has the folder. */
export async function beginEpoch(folder: string, epoch = 2): Promise<void> {
  const tables = openCheckpoint(folder);
  const log = openLog(folder, {});
  const { state } = recover(log, tables, new KeyFilter());
  const hash = log.head.hash.toString('hex');
  const fact = epochBegun(state, { epoch, hash, isComplete: false, nowMs: Date.now() });
  await new JournalWriter(log).append(state.position + 1, [fact]);
  await log.close();
  await tables.environment.close();
}
