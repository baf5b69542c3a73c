/**
 * The state and the parts that only read it, opened upon the folder: the engine with its journal and checkpoint, the
 * feed, and what is measured. A node that follows another one has these, and nothing that acts.
 */
import type { Fact } from '../engine/fact.ts';
import { type KeptBack, NONE_KEPT_BACK } from '../engine/supplying/next-source.ts';
import { FactFeed } from '../feed/fact-feed.ts';
import { PURCHASE_PATH } from '../http/buyer/buyer-api.ts';
import { Measurements } from '../metrics/measurements.ts';
import type { FolderParts, NodeOptions } from './data-folder.ts';
import { openEngine, type SharedJournal } from './engine.ts';

/** The receiver of every group when it is durable, before any of its answers leaves. */
export interface Told {
  durable: (position: number, facts: readonly Fact[]) => void;
  /** Not told, but asked: whose circuits are open. */
  keptBack: KeptBack;
}

export type StateParts = ReturnType<typeof openStateParts>;

/** Nobody is told of anything before the next tick of the event loop. */
export function openStateParts(
  { config, log, onFatal, segmentBytes, foldIntervalMs, compaction }: NodeOptions,
  { folder, stock, onFault }: FolderParts,
  shared?: SharedJournal,
) {
  const measured = new Measurements(folder, PURCHASE_PATH);
  const told: Told = { durable: () => {}, keptBack: NONE_KEPT_BACK };
  const durable = openEngine({
    folder,
    log,
    onDurable: (position, facts) => {
      measured.sales.count(facts);
      told.durable(position, facts);
    },
    keptBack: () => told.keptBack(),
    onFatal,
    onFault,
    segmentBytes,
    foldIntervalMs,
    compaction,
    shared,
  });
  const { engine } = durable;
  stock.knowShop(engine);
  const feed = new FactFeed({ folder, position: engine.durablePosition, epochs: engine.state.epochs.list });
  told.durable = (position) => feed.advance(position);
  return { ...durable, config, log, onFatal, measured, feed, told, stopping: new AbortController() };
}
