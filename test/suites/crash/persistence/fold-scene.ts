/**
 * A journal of random facts in many groups, to be folded with the smallest limits; and the proof of what a checkpoint of
 * it is: at one of its groups, with exactly the rows that the facts give, and no file that the list doesn't name.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { apply } from '../../../../src/engine/apply/apply.ts';
import type { Fact } from '../../../../src/engine/fact.ts';
import { State } from '../../../../src/engine/state.ts';
import { CheckpointCheck } from '../../../../src/persistence/checkpoint/checkpoint-check.ts';
import type { FoldLimits } from '../../../../src/persistence/checkpoint/checkpoint-fold.ts';
import { ALL_TABLES } from '../../../../src/persistence/checkpoint/tables.ts';
import { readFileList, tablePath } from '../../../../src/persistence/store/file-list.ts';
import { StoreFiles } from '../../../../src/persistence/store/store-files.ts';
import { StoreReader } from '../../../../src/persistence/store/store-reader.ts';
import { OrderScene } from '../../../http/operator/order-scene.ts';
import { JournalFolder } from '../../../persistence/journal/journal-folder.ts';
import type { Random } from '../../../support/random.ts';

/** A file after each few facts, and merges in many parts. */
export const TINY: FoldLimits = { fileFacts: 25, filesPerMerge: 3, stepBytes: 1_000 };
const MOST_OF_A_GROUP = 20;

export class FoldScene {
  /** The data folder. */
  readonly path: string;
  /** Where its groups end, and the hash of each. */
  readonly groups: ReadonlyMap<number, string>;
  readonly #facts: readonly Fact[];
  readonly #scratch: string;

  private constructor(
    path: string,
    scratch: string,
    groups: ReadonlyMap<number, string>,
    facts: readonly Fact[],
  ) {
    this.path = path;
    this.#scratch = scratch;
    this.groups = groups;
    this.#facts = facts;
  }

  static async make(parent: string, random: Random, events: number): Promise<FoldScene> {
    const [path, orders] = [join(parent, 'data'), join(parent, 'orders')];
    for (const folder of [path, orders]) mkdirSync(folder);
    const scene = await OrderScene.open(orders, random);
    for (let count = 0; count < events; count += 1) scene.happen();
    await scene.close();
    const folder = await JournalFolder.open(path);
    const groups = new Map<number, string>();
    for (let at = 0; at < scene.facts.length; ) {
      const group = scene.facts.slice(at, at + random.between(1, MOST_OF_A_GROUP));
      await folder.append(group);
      at += group.length;
      groups.set(at, folder.log.head.hash.toString('hex'));
    }
    await folder.close();
    return new FoldScene(path, join(parent, 'expected'), groups, scene.facts);
  }

  get end(): number {
    return this.#facts.length;
  }

  /** Where groups end, from `position` on. */
  ends(position: number): number[] {
    return [...this.groups.keys()].filter((end) => end > position);
  }

  /** Proves the checkpoint in `store`. Gives its position. */
  expectSound(store: string): number {
    const found = new StoreReader(store);
    try {
      return this.expectAll(found);
    } finally {
      found.close();
    }
  }

  /** Proves all that a reader sees. Gives its position. */
  expectAll(found: StoreReader): number {
    const { position, journalHash } = found.list;
    assert.equal(journalHash, position === 0 ? '' : this.groups.get(position), `position ${position}`);
    const state = new State();
    const check = new CheckpointCheck(found, this.#scratch, state);
    try {
      for (const fact of this.#facts.slice(0, position)) {
        apply(state, fact);
        check.add(fact, state);
      }
      if (position > 0) check.finish(state);
    } finally {
      check.close();
    }
    return position;
  }

  /** The writer's next start leaves what the list names, and nothing else. */
  expectTidied(store: string): void {
    new StoreFiles(store, ALL_TABLES);
    const listed = readFileList(store).files.map(({ number }) => basename(tablePath(store, number)));
    assert.deepEqual(readdirSync(store).sort(), [...listed.sort(), 'LIST']);
  }
}
