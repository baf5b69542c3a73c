/** Where a folder can be restored to, and what one is that was restored from a clean end. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { FolderTarget } from '../../../src/backup/target/folder-target.ts';
import { purser } from '../../cli/fake-operator.ts';
import { runCommand } from '../../support/nodes/purser-command.ts';
import { QuietNode } from '../../support/nodes/quiet-node.ts';
import { Random } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { backUpByHand, masterKeyIn } from './hand-made-backup.ts';

describe('a backup with a clean end', () => {
  let folder: TemporaryFolder;
  let masterKey: string;
  const at = (name: string) => join(folder.path, name);

  before(async () => {
    folder = await createTemporaryFolder('places');
    const node = await QuietNode.start('ended');
    await node.operator.createProduct({ name: 'Code', type: 'standard', priceUsdt: 1 });
    await node.stop();
    masterKey = masterKeyIn(node.folder.path);
    const target = new FolderTarget(at('source'), { makesFolder: true });
    const random = new Random(1);
    const shape = { base: 1, hasLog: false, hasManifest: true, isCleanEnd: true };
    await backUpByHand(node.folder.path, { target, random, ...shape });
    await target.close();
    rmSync(node.folder.path, { recursive: true });
    writeFileSync(at('key'), masterKey);
    cpSync(at('source'), at('again'), { recursive: true });
    symlinkSync(at('source'), at('link'));
    mkdirSync(at('full'));
    writeFileSync(join(at('full'), 'precious'), '');
  });
  after(() => folder.remove());

  const restore = (source: string, data: string, ...flags: string[]) =>
    purser(['restore', source, '--data', data, ...flags], { env: { PURSER_MASTER_KEY: masterKey } });

  for (const [name, data, says] of [
    ['a folder that has something', 'full', /full is not empty \(it has precious\)/],
    ['a folder below a file', 'key/data', /^error: cannot restore into .*key\/data: it, or a part of/],
    ['a folder in the backup, over a link', 'link/data', /link\/data lies in the backup at /],
    ['a folder that has the backup', '.', /^error: the backup at .*source lies in /],
  ] as const) {
    test(`is not restored into ${name}`, async () => {
      const had = readdirSync(folder.path, { recursive: true });
      for (const flags of [[], ['--dry-run']]) {
        const { exitCode, stdout, stderr } = await restore(at('source'), at(data), ...flags);
        assert.match(stderr, says);
        assert.deepEqual([exitCode, stdout, stderr.trimEnd().split('\n').length], [1, '', 1], stderr);
      }
      assert.deepEqual(readdirSync(folder.path, { recursive: true }), had, 'nothing is made');
    });
  }

  test('is restored with sales open, and must be taken back there before the folder sells', async () => {
    const keyFile = ['--master-key-file', at('key')];
    const { exitCode, stdout, stderr } = await restore(at('source'), at('first'), '--json', ...keyFile);
    assert.equal(exitCode, 0, stderr);
    const { sales, gap, epoch, unseen } = JSON.parse(stdout);
    assert.deepEqual([sales, gap, epoch, unseen], ['open', null, 2, undefined]);
    const mark = readFileSync(join(at('first'), 'clean-end'), 'utf8');
    assert.match(mark, /^.*\/source\nrestored\n[0-9a-f]{64} manifests\/000001\/\S+\nended runs\/\S+\n$/);
    const node = await QuietNode.start(
      { path: at('first'), remove: async () => {} },
      { backup: at('source'), backupInterval: '100ms' },
    );
    assert.ok(!readdirSync(at('first')).includes('clean-end'));
    assert.equal(readdirSync(join(at('source'), 'runs')).length, 2);
    await node.close();
  });

  test('of two folders restored from it, one takes it back, and the other one is refused', async () => {
    const paths = [at('one'), at('other')];
    for (const path of paths) {
      const { exitCode, stderr } = await restore(at('again'), path, '--master-key-file', at('key'));
      assert.equal(exitCode, 0, stderr);
    }
    const [one = '', other = ''] = paths;
    const backup = { backup: at('again') };
    const node = await QuietNode.start({ path: one, remove: async () => {} }, backup);
    const flags = ['--port', '0', '--operator-port', '0', '--transport', 'node', '--backup', at('again')];
    const refused = await runCommand(['serve', '--data', other, ...flags]);
    await node.close();
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(
      refused.stderr,
      /another node went on from the clean end at .*again \(epoch 2, run 1\).*: start that one, or/,
    );
  });

  test('a second restore of it, as a higher epoch, begins with sales closed; a restore of that keeps its gap open', async () => {
    const given = ['--epoch', '9', '--master-key-file', at('key')];
    const { exitCode, stdout, stderr } = await restore(at('source'), at('second'), ...given);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /^sales: +closed$/m);
    assert.match(stdout, /^gap\.orders: +unknown$/m);
    assert.ok(!readdirSync(at('second')).includes('clean-end'));
    const node = await QuietNode.start(
      { path: at('second'), remove: async () => {} },
      { backup: at('source'), backupInterval: '100ms' },
    );
    const { gap } = JSON.parse((await node.operator.json('GET', '/restore')).text);
    await node.close();
    const plan = await restore(at('source'), at('third'), '--json', '--dry-run');
    const dry = JSON.parse(plan.stdout);
    assert.deepEqual([dry.cleanEnd, dry.gap], [true, { from: gap.from, to: gap.to }]);
    const { sales, gap: stays } = JSON.parse((await restore(at('source'), at('third'), '--json')).stdout);
    assert.deepEqual({ sales, gap: stays }, { sales: 'closed', gap });
  });
});
