/** One drill: what it finds, and that nothing is left of it, whatever becomes of its process. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { FolderTarget } from '../../../../src/backup/target/folder-target.ts';
import { positionJson } from '../../../../src/backup/target-layout.ts';
import { figuresOf } from '../../../../src/engine/state-figures.ts';
import { openCheckpoint } from '../../../../src/persistence/checkpoint/checkpoint-tables.ts';
import { openLog } from '../../../../src/persistence/journal/open-log.ts';
import { recover } from '../../../../src/persistence/recovery.ts';
import type { DrillPoint } from '../../../../src/restore/drill/drill-messages.ts';
import { drillFolder, runDrill } from '../../../../src/restore/drill/drill-run.ts';
import { hashOfFigures } from '../../../../src/restore/drill/figures-hash.ts';
import { keyFilterOf } from '../../../persistence/journal-folder.ts';
import { Random } from '../../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { backUpByHand, masterKeyIn } from '../hand-made-backup.ts';
import { RandomShop } from '../random-shop.ts';

interface Case {
  readonly name: string;
  readonly point?: (point: DrillPoint) => DrillPoint;
  readonly program?: 'dies' | 'hangs';
  readonly deadlineMs?: number;
  readonly says: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: 'other balances',
    point: (point) => ({ ...point, figures: '00'.repeat(32) }),
    says: /^the restored shop has other balances or stock than this node had at fact \d+$/,
  },
  {
    name: 'another history',
    point: ({ position, figures }) => ({ position: { ...position, hash: '00'.repeat(32) }, figures }),
    says: /^the backup has another history than this node at fact \d+$/,
  },
  { name: 'a process that is killed', program: 'dies', says: /^its process has ended \(SIGKILL\)$/ },
  { name: 'a process that hangs', program: 'hangs', says: /^its process hangs/ },
  { name: 'a process that never ends', program: 'hangs', deadlineMs: 50, says: /^it takes too long$/ },
];

describe('a drill', () => {
  let folder: TemporaryFolder;
  let shop: RandomShop;
  let dataDir: string;
  let source: string;
  let point: DrillPoint;
  before(async () => {
    folder = await createTemporaryFolder('drill');
    const random = new Random(1);
    shop = await RandomShop.open(random);
    await shop.live(40);
    await shop.node.stop();
    dataDir = shop.node.folder.path;
    source = join(folder.path, 'source');
    const target = new FolderTarget(source, { makesFolder: true });
    await backUpByHand(dataDir, { target, random, base: 1, hasLog: false, hasManifest: true });
    point = await pointOf(dataDir);
  });
  after(() => Promise.all([folder.remove(), shop.node.folder.remove()]));

  test('of a sound backup succeeds, and leaves nothing behind', async () => {
    // What a node left that was killed amid one.
    mkdirSync(join(drillFolder(dataDir), 'shop'), { recursive: true });
    assert.equal(await runDrill(options()), null);
    assert.ok(!existsSync(drillFolder(dataDir)));
  });

  for (const { name, says, point: spoilt, program, deadlineMs = 60_000 } of CASES) {
    test(`fails with ${name}, and says so`, async () => {
      const error = await runDrill({
        ...options(),
        point: spoilt?.(point) ?? point,
        deadlineMs,
        ...(program === undefined ? {} : { source: program, program: BROKEN, silenceMs: 1_000 }),
      });
      assert.match(error ?? '', says);
      assert.ok(!existsSync(drillFolder(dataDir)));
    });
  }

  test('ends with the node, without a result', async () => {
    const stopping = new AbortController();
    const running = runDrill({ ...options(), program: BROKEN, signal: stopping.signal });
    setTimeout(() => stopping.abort(new Error('stopping')), 100);
    await assert.rejects(running, /stopping/);
    assert.ok(!existsSync(drillFolder(dataDir)));
  });

  function options() {
    const { signal } = new AbortController();
    const masterKey = masterKeyIn(dataDir);
    return { dataDir, source, masterKey, point, silenceMs: 60_000, deadlineMs: 60_000, signal };
  }
});

const BROKEN = join(import.meta.dirname, 'broken-drill.js');

/** Of a stopped folder: what its node would say. */
async function pointOf(dataDir: string): Promise<DrillPoint> {
  const tables = openCheckpoint(dataDir);
  const log = openLog(dataDir);
  try {
    const { state } = recover(log, tables, keyFilterOf(dataDir));
    return { position: positionJson(log.head), figures: await hashOfFigures(figuresOf(state)) };
  } finally {
    await log.close();
    await tables.environment.close();
  }
}
