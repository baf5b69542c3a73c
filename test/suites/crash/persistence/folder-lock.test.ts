/** One purser per data folder, proved with real processes that are killed, stopped, and kept busy. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, link, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, beforeEach, describe, it, test } from 'node:test';
import { lockFolder } from '../../../../src/persistence/folder/folder-lock.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';

const MODULE = new URL('../../../../src/persistence/folder/folder-lock.js', import.meta.url).href;

/** Does on the folder what each line of its input says, and answers with one line. */
const PROGRAM = `
  import { createInterface } from 'node:readline';
  import { lockFolder } from ${JSON.stringify(MODULE)};
  const folder = process.argv[1];
  let lock;
  const orders = {
    lock: async () => { lock = await lockFolder(folder); return 'held'; },
    release: async () => { await lock.release(); return 'released'; },
    drop: () => { process.setuid?.(65534); return 'dropped'; },
    busy: () => { process.stdout.write('busy\\n'); for (;;); },
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = await Promise.resolve().then(orders[line]).catch((error) => error.name + ': ' + error.message);
    process.stdout.write(answer + '\\n');
  }`;

/** Contenders are many here and their steps as they come; every order of them is proved in `lock-contest.test.ts`. */
const DEAD_HOLDERS = 12;
const KILLS_AFTER_MS = [0, 15, 30, 45, 60];

let root: TemporaryFolder;
let folder: string;
let folders = 0;
before(async () => {
  root = await createTemporaryFolder('lock');
});
beforeEach(async () => {
  folders += 1;
  folder = join(root.path, String(folders));
  await mkdir(folder);
});
after(() => root.remove());

class Contender {
  readonly process: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  constructor(path: string, command: readonly string[] = []) {
    const [file = '', ...args] = [
      ...command,
      process.execPath,
      '--input-type=module',
      '--eval',
      PROGRAM,
      path,
    ];
    this.process = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    assert.ok(this.process.stdout);
    this.#answers = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  async ask(order: 'lock' | 'release' | 'drop' | 'busy'): Promise<string> {
    this.process.stdin?.write(`${order}\n`);
    const { value } = await this.#answers.next();
    return value;
  }

  async kill(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await exited;
  }
}

async function withContenders(count: number, run: (contenders: Contender[]) => Promise<void>): Promise<void> {
  const contenders = Array.from({ length: count }, () => new Contender(folder));
  try {
    await run(contenders);
  } finally {
    await Promise.all(contenders.map((contender) => contender.kill()));
  }
}

function inUse(path: string, pid: number | undefined): string {
  const who = `another running purser (pid ${pid})`;
  return `DataFolderError: the data folder ${path} is in use by ${who}: stop it first or choose another --data`;
}

async function assertRefused(contender: Contender | undefined, pid: number | undefined): Promise<void> {
  assert.equal(await contender?.ask('lock'), inUse(folder, pid));
}

/** The socket's two names: it contends, and it holds. */
async function assertOneHolder(path: string, pid: number | undefined): Promise<void> {
  const [name, held, ...others] = (await readdir(path)).sort();
  assert.match(name ?? '', new RegExp(`^lock\\.[0-9a-f]{16}\\.${pid}$`));
  assert.deepEqual([held, ...others], [`${name}.held`]);
}

describe('the lock of a data folder', () => {
  it('keeps no process alive', async () => {
    const child = new Contender(folder);
    assert.equal(await child.ask('lock'), 'held');
    const exited = once(child.process, 'exit');
    child.process.stdin?.end();
    assert.deepEqual(await exited, [0, null]);
  });

  it('holds while its process is too busy, or stopped', async () => {
    await withContenders(2, async ([holder, other]) => {
      assert.equal(await holder?.ask('lock'), 'held');
      holder?.process.kill('SIGSTOP');
      await assertRefused(other, holder?.process.pid);
      holder?.process.kill('SIGCONT');
      await assertRefused(other, holder?.process.pid);
      assert.equal(await holder?.ask('busy'), 'busy');
      await assertRefused(other, holder?.process.pid);
    });
  });

  it('goes to exactly one of ten that find a dead lock at the same time', async () => {
    await withContenders(10, async (contenders) => {
      for (let round = 0; round < DEAD_HOLDERS; round += 1) {
        const answers = await Promise.all(contenders.map((contender) => contender.ask('lock')));
        const winner = answers.indexOf('held');
        const refusal = inUse(folder, contenders[winner]?.process.pid);
        const expected = answers.map((_, index) => (index === winner ? 'held' : refusal));
        assert.deepEqual(answers, expected, `round ${round}`);
        await contenders[winner]?.kill();
        contenders[winner] = new Contender(folder);
      }
    });
  });

  it('goes to one of those that are left when contenders are killed while they try', async () => {
    for (const killAfterMs of KILLS_AFTER_MS) {
      await withContenders(6, async (contenders) => {
        const answers = contenders.map((contender) => contender.ask('lock'));
        await new Promise((resolve) => setTimeout(resolve, killAfterMs));
        await Promise.all(contenders.slice(0, 3).map((contender) => contender.kill()));
        const left = contenders.slice(3);
        const late = await Promise.all([
          ...answers.slice(3),
          ...left.map((contender) => contender.ask('lock')),
        ]);
        assert.equal(late.filter((answer) => answer === 'held').length, 1, late.join('\n'));
      });
    }
  });
});

describe('a folder', () => {
  it('that is read-only is refused', async () => {
    await chmod(root.path, 0o755);
    await chmod(folder, 0o555);
    const child = new Contender(folder);
    // Root may write anywhere.
    if (process.getuid?.() === 0) await child.ask('drop');
    const answer = await child.ask('lock');
    await child.kill();
    assert.match(answer, /^DataFolderError: cannot lock the data folder .+: .*EACCES/);
  });

  it('is swept of what dead contenders left, and of nothing else', async () => {
    const dead = new Contender(folder);
    assert.equal(await dead.ask('lock'), 'held');
    await dead.kill();
    const [socket = ''] = await readdir(folder);
    for (const name of ['lock.0123456789abcdef.1', 'lock.0123456789abcdef.2.new', 'lock', 'lock.mine'])
      await link(join(folder, socket), join(folder, name));
    await mkdir(join(folder, 'lock.0123456789abcdef'));
    const lock = await lockFolder(folder);
    const left = (await readdir(folder)).filter((name) => !name.includes(`.${process.pid}`));
    assert.deepEqual(left.sort(), ['lock', 'lock.0123456789abcdef', 'lock.mine']);
    await lock.release();
  });

  it('whose path is longer than a socket address is locked as any other', async () => {
    folder = join(folder, ...Array.from({ length: 5 }, () => 'long'.repeat(20)));
    await mkdir(folder, { recursive: true });
    await withContenders(2, async ([first, second]) => {
      assert.equal(await first?.ask('lock'), 'held');
      await assertOneHolder(folder, first?.process.pid);
      await assertRefused(second, first?.process.pid);
      await first?.kill();
      await assertOneHolder(folder, first?.process.pid);
      assert.equal(await second?.ask('lock'), 'held');
      await assertOneHolder(folder, second?.process.pid);
      assert.equal(await second?.ask('release'), 'released');
      assert.deepEqual(await readdir(folder), []);
    });
  });
});

test('another pid namespace makes no difference', async (context) => {
  const command = ['unshare', '--pid', '--fork', '--kill-child'];
  if (spawnSync('unshare', [...command.slice(1), 'true']).status !== 0)
    return context.skip('unshare is not allowed');
  const inside = new Contender(folder, command);
  const lock = await lockFolder(folder);
  await assertRefused(inside, process.pid);
  await lock.release();
  assert.equal(await inside.ask('lock'), 'held');
  await assert.rejects(lockFolder(folder), { name: 'DataFolderError', reason: 'in-use' });
  await inside.kill();
});
