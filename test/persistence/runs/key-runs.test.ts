/**
 * The runs of keys against a naive list: whatever folds come, wherever a merge or the process stops, and whether runs are
 * in the database or have become run files, every key leads to what it led to, and the audit finds the runs whole.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { PurchaseOutcome } from '../../../src/engine/orders.ts';
import { readRef, refOfOrder, refOfRefusal } from '../../../src/engine/recent/key-ref.ts';
import { auditKeys, KeySum } from '../../../src/persistence/checkpoint/keys/key-audit.ts';
import { FileRun, refsIn } from '../../../src/persistence/checkpoint/keys/key-run.ts';
import {
  findRefs,
  KeyRuns,
  type KeyRunTables,
  keyRuns,
} from '../../../src/persistence/checkpoint/keys/key-runs.ts';
import { movedKeys } from '../../../src/persistence/checkpoint/keys/moved-keys.ts';
import { SortedKeys } from '../../../src/persistence/checkpoint/keys/sorted-keys.ts';
import { DamagedDataError } from '../../../src/persistence/codec/byte-reader.ts';
import { readNumberKey } from '../../../src/persistence/codec/number-key.ts';
import {
  createEnvironment,
  type Environment,
  openEnvironment,
} from '../../../src/persistence/lmdb/lmdb-environment.ts';
import { Compaction } from '../../../src/persistence/runs/compaction.ts';
import { RunSet } from '../../../src/persistence/runs/run-set.ts';
import { Random, randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { REFUSAL } from '../stored-refusal.ts';

interface Key {
  readonly hash: number;
  readonly ref: number;
}

/** In how many keys a run of the database becomes a run file. */
const FILED_AT = 300;

/** A table of runs as the fold uses it, and the list of all keys that it was given. */
class Shelf {
  readonly tables: KeyRunTables;
  readonly given: Key[] = [];
  readonly #environment: Environment;
  readonly #files: RunSet;
  #runs: KeyRuns;
  #compaction: Compaction;

  private constructor(environment: Environment) {
    this.#environment = environment;
    const meta = environment.table('meta');
    this.#files = new RunSet(environment, meta, 'checkpoint');
    environment.onClose(() => this.#files.close());
    this.tables = { meta, keys: environment.table('keys'), files: () => this.#files.of('keys') };
    this.#runs = new KeyRuns(this.tables, 1);
    this.#compaction = this.#newCompaction();
  }

  static async open(context: TestContext): Promise<Shelf> {
    const folder = await createTemporaryFolder('key-runs');
    const file = join(folder.path, 'keys.mdb');
    await createEnvironment(file, ['meta', 'keys']);
    const environment = openEnvironment(file);
    context.after(async () => {
      await environment.close();
      await folder.remove();
    });
    return new Shelf(environment);
  }

  /** One fold. With `transactions`, what comes after that many is never done. */
  fold(keys: readonly Key[], transactions = Number.POSITIVE_INFINITY): void {
    const sorted = new SortedKeys();
    for (const { hash, ref } of keys) sorted.add(hash, ref);
    this.#transact(() => this.#runs.append(sorted));
    this.given.push(...keys);
    let left = transactions;
    try {
      this.#runs.merge((work) => {
        left -= 1;
        if (left < 0) throw new Error('the process died');
        this.#transact(work);
      });
    } catch (error) {
      assert.match(String(error), /the process died/);
      this.#dies();
    }
  }

  /**
   * Writes and merges run files, in so many parts at most. Work that is begun then goes on next time, unless it `dies`.
   */
  file(parts = Number.POSITIVE_INFINITY, dies = false): void {
    for (let part = 0; part < parts && this.#compaction.step(); part += 1);
    if (dies) this.#dies();
  }

  /** The number of run files. */
  get files(): number {
    return keyRuns(this.tables).filter((run) => run instanceof FileRun).length;
  }

  /** Loses everything in memory, and the work that was begun. */
  #dies(): void {
    this.#compaction.stop();
    this.#runs = new KeyRuns(this.tables, 1);
    this.#compaction = this.#newCompaction();
  }

  /** Writes a block a part. */
  #newCompaction(): Compaction {
    const hashed = [movedKeys('keys', this.#runs, FILED_AT)];
    const { meta } = this.tables;
    const tables = {
      environment: this.#environment,
      meta,
      kind: 'checkpoint',
      runs: this.#files,
      tiered: [],
      hashed,
    };
    return new Compaction(tables, (work) => this.#transact(work), { stepBytes: 1 });
  }

  find(hash: number): number[] {
    return Array.from(findRefs(this.tables, hash)).sort((a, b) => a - b);
  }

  /** Up to `ref`, as who wants the next page of a recipient's orders asks. */
  findUpTo(hash: number, ref: number): number[] {
    return keyRuns(this.tables).flatMap((run) => Array.from(refsIn(run, hash, ref)));
  }

  /** Every key that was given is found, with just what it led to, and the audit agrees. */
  check(): void {
    const expected = new Map<number, number[]>();
    const sum = new KeySum();
    for (const { hash, ref } of this.given) {
      expected.set(hash, [...(expected.get(hash) ?? []), ref]);
      sum.add(hash, ref);
    }
    for (const [hash, refs] of expected) {
      assert.deepEqual(
        this.find(hash),
        refs.sort((a, b) => a - b),
        `hash ${hash}`,
      );
      if (!expected.has(hash + 1)) assert.deepEqual(this.find(hash + 1), []);
      for (const ref of [refs[0] ?? 0, refs[Math.floor(refs.length / 2)] ?? 0]) {
        const upTo = this.findUpTo(hash, ref).sort((a, b) => a - b);
        assert.deepEqual(upTo, refs.slice(0, refs.lastIndexOf(ref) + 1), `hash ${hash} up to ${ref}`);
      }
    }
    assert.ok(sum.equals(auditKeys(this.tables, outcomeOf())));
  }

  #transact(work: () => void): void {
    this.#environment.transactionSync(work);
  }
}

/** A key of its own for each, but that of `twice`, which is that of 42. */
function outcomeOf(twice = 42): (ref: number) => PurchaseOutcome {
  return (ref) => ({ ...REFUSAL, idempotencyKey: `key ${ref === twice ? 42 : ref}` });
}

function randomKeys(random: Random, count: number, hashes: number, firstRef: number): Key[] {
  return Array.from({ length: count }, (_, index) => ({
    hash: random.between(0, hashes),
    ref: firstRef + index,
  }));
}

test('a reference is an order or a refusal, up to the largest number of either', () => {
  for (const number of [1, 2, 3, 2 ** 40 + 1, 2 ** 51]) {
    assert.deepEqual(readRef(refOfOrder(number)), { orderId: number });
    assert.deepEqual(readRef(refOfRefusal(number)), { refusedAt: number });
  }
});

test('any folds, with merges cut off anywhere, in the database and in run files: every key is found, and no other', async (context) => {
  const random = randomFromEnvironment();
  context.diagnostic(`seed ${random.seed}`);
  const shelf = await Shelf.open(context);
  for (let round = 0; round < roundsOr(12); round += 1) {
    const count = random.between(0, 3) === 0 ? random.between(0, 1500) : random.between(0, 20);
    // Few hashes, so that many keys share one; or as many as there are.
    const hashes = random.between(0, 1) === 0 ? 50 : Number.MAX_SAFE_INTEGER - 1;
    const transactions = random.between(0, 1) === 0 ? random.between(0, 12) : undefined;
    shelf.fold(randomKeys(random, count, hashes, round * 10_000), transactions);
    shelf.file(random.between(0, 20), random.between(0, 3) === 0);
    if (round % 10 === 0) shelf.check();
  }
  shelf.check();
  shelf.fold(randomKeys(random, FILED_AT, Number.MAX_SAFE_INTEGER - 1, 9_000_000));
  shelf.file();
  shelf.check();
  assert.ok(shelf.files > 0 && shelf.files < 16, `${shelf.files} run files`);
});

test('more keys of one hash than a block holds are all found, in the database and in run files', async (context) => {
  for (const [files, folds] of [
    [0, 3],
    [3, 3],
    [1, 4],
  ] as const) {
    const shelf = await Shelf.open(context);
    for (let fold = 0; fold < folds; fold += 1) {
      shelf.fold([
        ...Array.from({ length: 700 }, (_, index) => ({ hash: 7, ref: fold * 700 + index })),
        { hash: 6, ref: 9_000 + fold },
        { hash: 8, ref: 9_100 + fold },
      ]);
      if (files > 0) shelf.file();
    }
    assert.equal(shelf.files, files);
    shelf.check();
    assert.equal(shelf.find(7).length, folds * 700);
    // Each way into them: of the first and the last block, at their borders, and before all of them.
    for (const ref of [0, 253, 254, 508, 699, 700, 1_399, 1_400, folds * 700 - 1])
      assert.equal(shelf.findUpTo(7, ref).length, ref + 1, `up to ${ref}`);
    assert.deepEqual(shelf.findUpTo(7, -1), []);
  }
});

test('a run that lost a block, or has one of another place, is found out', async (context) => {
  const shelf = await Shelf.open(context);
  shelf.fold(randomKeys(new Random(2), 1000, Number.MAX_SAFE_INTEGER - 1, 0));
  const { keys } = shelf.tables;
  const [first, second] = Array.from(keys.getRange({ limit: 2 }), ({ key, value }) => ({
    key: Buffer.from(key),
    value: Buffer.from(value),
  }));
  assert.ok(first !== undefined && second !== undefined);
  keys.removeSync(second.key);
  assert.throws(() => auditKeys(shelf.tables, outcomeOf()), DamagedDataError);
  keys.putSync(second.key, first.value);
  assert.throws(() => auditKeys(shelf.tables, outcomeOf()), DamagedDataError);
  assert.throws(() => shelf.find(readNumberKey(second.key, 4)), DamagedDataError);
});

test('a key with two outcomes is found out, wherever they lie; keys that share a hash are not', async (context) => {
  const shelf = await Shelf.open(context);
  for (let fold = 0; fold < 6; fold += 1) {
    shelf.fold(Array.from({ length: 100 }, (_, index) => ({ hash: index * 10, ref: fold * 100 + index })));
  }
  auditKeys(shelf.tables, outcomeOf(42));
  assert.throws(() => auditKeys(shelf.tables, outcomeOf(542)), /key key 42 of account 1 has two outcomes/);
});
