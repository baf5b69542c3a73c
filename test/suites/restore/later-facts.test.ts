/**
 * A restore to an earlier moment says what its backup's later facts took away: of each thing the last, of what is again as it
 * was and of what came later nothing; in the plan, in the result, in the restored shop, and in what is made of that again.
 */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Retrying } from '../../../src/backup/retrying.ts';
import { backUpFolder } from '../../../src/backup/shipping/single-backup.ts';
import { FolderTarget } from '../../../src/backup/target/folder-target.ts';
import { BackupSource } from '../../../src/restore/backup-source.ts';
import { restore } from '../../../src/restore/restore.ts';
import { planRestore } from '../../../src/restore/restore-plan.ts';
import { givenMasterKey } from '../../../src/restore/restored-keys.ts';
import { purser } from '../../cli/fake-operator.ts';
import { QuietNode } from '../../support/nodes/quiet-node.ts';
import { ok } from '../../support/operator-client.ts';
import { Random } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { backUpByHand, masterKeyIn } from './hand-made-backup.ts';
import { openShop, TAKEN, takeAway } from './taken-shop.ts';

const FLAGS = { webhookAllow: '127.0.0.0/8' };

type Rows = Record<string, unknown>[];
interface Taken {
  readonly to: number;
  readonly complete: boolean;
  readonly [kind: string]: unknown;
}

/** Rows without times and names, by kind. */
function rowsIn(taken: Taken): Record<string, Rows> {
  const lists = Object.entries(taken).filter(([, list]) => typeof list === 'object') as [
    string,
    { count: number; rows: Rows },
  ][];
  return Object.fromEntries(
    lists.map(([kind, { count, rows }]) => {
      assert.equal(count, rows.length, kind);
      return [kind, rows.map(({ at: _, name: __, ...row }) => row)];
    }),
  );
}

describe('a backup with later facts', { timeout: 240_000 }, () => {
  let folder: TemporaryFolder;
  let keyFile: string;
  /** The last fact before anything was taken away, and one behind which a part was. */
  let cut: number;
  const at = (name: string) => join(folder.path, name);
  const nodes: QuietNode[] = [];
  const nodeOn = async (name: string) => {
    const node = await QuietNode.start({ path: at(name), remove: async () => {} }, FLAGS);
    nodes.push(node);
    return node;
  };
  const restored = async (source: string, data: string, ...flags: string[]) => {
    const args = ['restore', at(source), '--data', at(data), '--master-key-file', keyFile, ...flags];
    const { exitCode, stdout, stderr } = await purser(args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const restoredTo = async (source: string, data: string, seq: number, ...flags: string[]) =>
    JSON.parse(await restored(source, data, '--json', '--at', String(seq), ...flags));
  const backUp = async (data: string, source: string) => {
    const target = new FolderTarget(at(source), { makesFolder: true });
    const signal = new AbortController().signal;
    const retrying = new Retrying({ signal, patienceMs: 0, onTrouble: () => {} });
    await backUpFolder(at(data), undefined, { target, retrying, rest: 0, clock: Date.now });
    await target.close();
  };
  const status = async ({ operator }: QuietNode) => JSON.parse((await operator.json('GET', '/restore')).text);

  before(async () => {
    folder = await createTemporaryFolder('later-facts');
    const node = await nodeOn('original');
    const { operator } = node;
    const keys = await openShop(node);
    cut = (JSON.parse((await operator.json('GET', '/status')).text) as { journalPosition: number })
      .journalPosition;
    await takeAway(node, keys);
    await node.stop();
    keyFile = join(at('original'), 'master-key');
    await backUp('original', 'source');
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await folder.remove();
  });

  test('is told in the plan, in the result, by the node, and behind its next restart', async () => {
    const dry = await restoredTo('source', 'restored', cut, '--dry-run');
    const made = await restoredTo('source', 'restored', cut);
    assert.deepEqual(rowsIn(made.takenAway), TAKEN);
    // A plan doesn't know what there was before.
    assert.deepEqual(rowsIn(dry.takenAway), {
      ...TAKEN,
      keys: [{ accountId: 1, change: 'set' }, ...TAKEN.keys.slice(1), { accountId: 5, change: 'set' }],
      webhooks: [
        { accountId: 1, change: 'set' },
        { accountId: 2, change: 'set' },
        ...TAKEN.webhooks.slice(2),
      ],
      suppliers: [1, 2].map((supplierId) => ({ supplierId, change: 'set' })),
    });
    assert.deepEqual([made.takenAway.complete, made.takenAway.to], [true, dry.takenAway.to]);
    assert.ok(made.takenAway.to > made.at);
    const node = await nodeOn('restored');
    const told = (await status(node)).takenAway;
    assert.deepEqual(rowsIn(told), TAKEN);
    assert.deepEqual([told.operators.rows[0].name, told.lots.rows[0].name], ['op-1', 'Codes 1']);
    await node.restart();
    assert.deepEqual((await status(node)).takenAway, told);
    const env = { PURSER_OPERATOR_URL: node.operatorUrl, PURSER_OPERATOR_TOKEN: node.operatorToken };
    const { stdout } = await purser(['restore', 'status'], { env });
    assert.match(stdout, /^facts behind the restored moment, up to 2\S+Z, took this away again; what/m);
    assert.match(
      stdout,
      /^products \(3\):\nproductId +name +deactivated +priceUsdt +priceTiers +at\n1 +Codes 1 +no +1 -> 3 /m,
    );
    assert.match(stdout, /^4 +Codes 4 +no +- +none -> 10: 0.5 +2/m);
    assert.match(stdout, /^1 +buyer 1 +1 -> 2 +none -> 24: 100 +- +2/m);
    assert.match(stdout, /^1 +3 +Codes 3 +none -> 2 +none -> 10: 0.5 +2/m);
    await node.close();
  });

  test('reaches a backup of the restored shop, what is restored of it, and there an earlier moment', async () => {
    await backUp('restored', 'source');
    // The whole backup: its own facts have the rows, and none is later.
    const whole = JSON.parse(await restored('source', 'whole', '--json'));
    assert.deepEqual([whole.epoch, rowsIn(whole.takenAway)], [3, TAKEN]);
    // A moment before the fork: the facts of the history that was left aren't read, and what they took is known all the same.
    const early = await restoredTo('source', 'early', cut - 1, '--epoch', '9');
    assert.deepEqual(rowsIn(early.takenAway), TAKEN);
    const node = await nodeOn('early');
    await ok(node.operator.json('POST', '/restore/open', { all: 'keep' }));
    assert.ok(!('takenAway' in (await status(node))));
    await node.close();
  });

  test('costs a drill nothing', async (t) => {
    const target = new FolderTarget(at('drilled'), { makesFolder: true });
    const shape = { base: 0, hasLog: true, hasManifest: false, entriesPerChunk: 1 };
    await backUpByHand(at('original'), { target, random: new Random(2), ...shape });
    const key = givenMasterKey(masterKeyIn(at('original')), { file: 'a file' });
    const plan = await planRestore(new BackupSource(target), key, { seq: cut });
    const { mock: read } = t.mock.method(target, 'read');
    const reads = async (data: string, beginsEpoch: boolean) => {
      const before = read.callCount();
      await restore(plan, at(data), { key, beginsEpoch, nowMs: Date.now() });
      return read.callCount() - before;
    };
    const drilled = await reads('of-drill', false);
    assert.ok(drilled > 0 && (await reads('of-restore', true)) > drilled);
    await target.close();
  });

  test('without any, it says so, which is not that nothing was taken away', async () => {
    assert.match(
      await restored('source', 'nowhere', '--dry-run'),
      /^this backup has no later facts: what happened after it is unknown$/m,
    );
    const node = await nodeOn('quiet');
    await ok(node.operator.createProduct({ name: 'Code', type: 'standard', priceUsdt: 1 }));
    await ok(node.operator.createProduct({ name: 'Later', type: 'standard', priceUsdt: 1 }));
    await ok(node.operator.updateProduct(2, { active: false }));
    await node.stop();
    keyFile = join(at('quiet'), 'master-key');
    await backUp('quiet', 'quiet-source');
    const { takenAway, sales } = JSON.parse(await restored('quiet-source', 'quiet-end', '--json'));
    assert.deepEqual([sales, takenAway], ['closed', null]);
    assert.match(
      await restored('quiet-source', 'quiet-early', '--at', '1'),
      /^facts behind the restored moment, up to 2\S+Z, took nothing away; what happened after them is unknown$/m,
    );
    keyFile = join(at('original'), 'master-key');
  });

  test('a chunk that cannot be read keeps nothing from being restored; the answer is not complete', async () => {
    const target = new FolderTarget(at('spoilt'), { makesFolder: true });
    const shape = { base: 0, hasLog: true, hasManifest: false, entriesPerChunk: 1 };
    await backUpByHand(at('original'), { target, random: new Random(1), ...shape });
    await target.close();
    const chunks = join(at('spoilt'), 'log', '000001');
    const names = readdirSync(chunks).sort();
    cpSync(at('spoilt'), at('holed'), { recursive: true });
    writeFileSync(join(chunks, names.at(-2) ?? ''), 'x');
    const spoilt = await restoredTo('spoilt', 'of-spoilt', cut);
    assert.deepEqual([spoilt.takenAway.complete, rowsIn(spoilt.takenAway).lots], [false, TAKEN.lots]);
    rmSync(join(at('holed'), 'log', '000001', names.at(-4) ?? ''));
    const holed = await restoredTo('holed', 'of-holed', cut, '--dry-run');
    assert.equal(holed.takenAway.complete, false);
  });
});
