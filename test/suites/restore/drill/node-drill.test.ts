/** Drills of a running node: what operators call and see, with the thread, the process and a folder as the target. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { positionJson } from '../../../../src/backup/target-layout.ts';
import { figuresOf } from '../../../../src/engine/state-figures.ts';
import { openCheckpoint } from '../../../../src/persistence/checkpoint/checkpoint.ts';
import { openLog } from '../../../../src/persistence/journal/open-log.ts';
import { recover } from '../../../../src/persistence/recovery.ts';
import type { DrillPoint } from '../../../../src/restore/drill/drill-messages.ts';
import { hashOfFigures } from '../../../../src/restore/drill/figures-hash.ts';
import { runDrill } from '../../../../src/restore/drill/node-drill.ts';
import { purser } from '../../../cli/fake-operator.ts';
import { QuietNode } from '../../../support/nodes/quiet-node.ts';
import { ok } from '../../../support/operator-client.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { masterKeyIn } from '../hand-made-backup.ts';
import { sellCodes } from '../random-shop.ts';

const BROKEN = join(import.meta.dirname, 'broken-drill.js');

interface Status {
  readonly drill: {
    readonly ok: boolean;
    readonly position: { readonly seq: number };
    readonly error?: string;
  } | null;
  readonly drilling: boolean;
}

describe('drills of a running node', () => {
  let targets: TemporaryFolder;
  let node: QuietNode;
  let apiKey: string;

  before(async () => {
    targets = await createTemporaryFolder('drill-targets');
    node = await QuietNode.start('drill-node', {
      backup: join(targets.path, 'all'),
      backupInterval: '100ms',
    });
    apiKey = await sellCodes(node);
    const codes = Array.from({ length: 500 }, (_, index) => `code ${index}`);
    await ok(node.operator.addStock(1, codes));
    await ok(node.operator.credit(1, 500, 'start'));
  });
  after(async () => {
    await node.close();
    await targets.remove();
  });

  async function status(): Promise<Status> {
    const { text } = await node.operator.json('GET', '/backups/status');
    return JSON.parse(text) as Status;
  }

  function drill() {
    return purser(['backup', 'drill', '--data', node.folder.path, '--json']);
  }

  async function metrics(): Promise<string> {
    return (await node.operator.json('GET', '/metrics')).text;
  }

  test('amid purchases, it is what the node was; and it is remembered', async () => {
    assert.equal((await status()).drill, null);
    assert.doesNotMatch(await metrics(), /^purser_backup_drill_success /m);
    let isOver = false;
    let sold = 0;
    const selling = (async () => {
      while (!isOver && sold < 400) {
        const body = { productId: 1, expectedPriceUsdt: 1 };
        const { status: code, text } = await node.buyers.purchase(apiKey, `key ${sold}`, body);
        assert.equal(code, 201, text);
        sold += 1;
      }
    })();
    const { exitCode, stdout, stderr } = await drill();
    isOver = true;
    await selling;
    assert.equal(exitCode, 0, stderr);
    const { ok: isOk, position } = JSON.parse(stdout) as NonNullable<Status['drill']>;
    assert.ok(isOk && position.seq > 4);
    // The journal may be packed meanwhile.
    const left = readdirSync(join(node.folder.path, 'unfinished')).filter((name) =>
      name.startsWith('drill-'),
    );
    assert.deepEqual(left, []);
    assert.match(await metrics(), /^purser_backup_drill_success 1$/m);
    assert.match(await metrics(), /^purser_backup_drill_age_seconds \d/m);
    const before = (await status()).drill;
    await node.restart();
    assert.deepEqual((await status()).drill, before);
  });

  test('it goes on with the master key of now', async () => {
    await ok(node.operator.json('POST', '/rekey', {}));
    const { exitCode, stderr } = await drill();
    assert.equal(exitCode, 0, stderr);
  });

  test('one that finds something else, or whose process dies or hangs, fails and says so; nothing is left of it', async () => {
    await node.stop();
    const dataDir = node.folder.path;
    const options = {
      dataDir,
      source: join(targets.path, 'all'),
      masterKey: masterKeyIn(dataDir),
      point: await pointOf(dataDir),
      silenceMs: 60_000,
      deadlineMs: 60_000,
      signal: new AbortController().signal,
    };
    // A folder that a node left that was killed amid one, and that is still being removed.
    const unfinished = join(dataDir, 'unfinished');
    mkdirSync(join(unfinished, 'drill', 'shop'), { recursive: true });
    assert.equal(await runDrill(options), null);
    assert.deepEqual(readdirSync(unfinished), ['drill']);
    const { position } = options.point;
    const none = '00'.repeat(32);
    const broken = (source: 'dies' | 'hangs') => ({ source, program: BROKEN, silenceMs: 1_000 });
    for (const [change, says] of [
      [
        { point: { position, figures: none } },
        /^the restored shop has other balances or stock than this node had/,
      ],
      [broken('dies'), /^its process has ended \(SIGKILL\)$/],
      [broken('hangs'), /^its process hangs/],
    ] as const) {
      assert.match((await runDrill({ ...options, ...change })) ?? '', says);
      assert.deepEqual(readdirSync(unfinished), ['drill']);
    }
    const stopping = new AbortController();
    const running = runDrill({ ...options, ...broken('hangs'), silenceMs: 60_000, signal: stopping.signal });
    setTimeout(() => stopping.abort(new Error('stopping')), 100);
    await assert.rejects(running, /stopping/);
    assert.deepEqual(readdirSync(unfinished), ['drill']);
    await node.start();
  });

  test('a backup that is spoilt is told of, and the node sells on', async () => {
    const base = join(targets.path, 'all', 'base', '000001');
    const [first = ''] = readdirSync(base).sort();
    const bytes = readFileSync(join(base, first));
    rmSync(join(base, first));
    writeFileSync(join(base, first), bytes.subarray(0, bytes.length - 1));
    const { exitCode, stdout, stderr } = await drill();
    assert.equal(exitCode, 1);
    assert.equal((JSON.parse(stdout) as NonNullable<Status['drill']>).ok, false);
    assert.match(stderr, /^error: the drill failed: base\/.*\n$/);
    assert.match((await status()).drill?.error ?? '', /^base\//);
    assert.match(await metrics(), /^purser_backup_drill_success 0$/m);
    const body = { productId: 1, expectedPriceUsdt: 1 };
    assert.equal((await node.buyers.purchase(apiKey, 'after', body)).status, 201);
  });
});

/** The point that the node of a stopped folder would give. */
async function pointOf(dataDir: string): Promise<DrillPoint> {
  const checkpoint = openCheckpoint(dataDir);
  const log = openLog(dataDir);
  const { state } = recover(log, checkpoint);
  const point = { position: positionJson(log.head), figures: await hashOfFigures(figuresOf(state)) };
  await log.close();
  checkpoint.close();
  return point;
}
