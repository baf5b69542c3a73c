/** The messages of a node to systemd, by a program in the place of systemd-notify that writes them down. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceManager } from '../src/node/service-manager.ts';
import { eventually } from './support/eventually.ts';
import { startPurser } from './support/nodes/purser-process.ts';

const SOCKET = '/run/systemd/notify';

/** Writes its words and its environment's names beside itself. */
const PROGRAM = `#!/bin/sh
folder=\${0%/*}
echo "$@" >> "$folder/told"
env | cut -d= -f1 > "$folder/env"
`;

function fakeSystemd(context: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'purser-systemd-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'systemd-notify'), PROGRAM);
  chmodSync(join(folder, 'systemd-notify'), 0o755);
  const read = (name: string) => {
    const file = join(folder, name);
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  };
  const env = { PATH: `${folder}:${process.env.PATH}`, NOTIFY_SOCKET: SOCKET };
  return { folder, env, told: () => read('told'), seen: () => read('env') };
}

const log = { warn: () => {} };

describe('a node under systemd', () => {
  it('says when it is ready, that it is well, also after a SIGHUP that is for nobody, and when it stops', async (context) => {
    const systemd = fakeSystemd(context);
    const dataDir = join(systemd.folder, 'data');
    const env = { ...systemd.env, WATCHDOG_USEC: '400000', PURSER_OPERATOR_TOKEN: 'a-secret-of-the-node' };
    const node = await startPurser({ dataDir, env });
    context.after(() => node.kill());
    process.kill(node.pid, 'SIGHUP');
    const isWellTwice = () => systemd.told().filter((word) => word === 'WATCHDOG=1').length >= 2;
    await eventually('it is told to be well', isWellTwice);
    assert.equal(systemd.told()[0], '--ready');
    assert.ok(!systemd.seen().some((name) => name.startsWith('PURSER_')), 'it hands on no secret');
    assert.equal(await node.stop(), 0);
    await eventually('it is told to stop', () => systemd.told().includes('STOPPING=1'));
  });

  it('is not said to be well when it is not, or when another process is watched', async (context) => {
    const systemd = fakeSystemd(context);
    const watched = { ...systemd.env, WATCHDOG_USEC: '20000' };
    new ServiceManager({ env: watched, pid: 7, log }).ready(() => false);
    new ServiceManager({ env: { ...watched, WATCHDOG_PID: '8' }, pid: 7, log }).ready(() => true);
    new ServiceManager({ env: systemd.env, pid: 7, log }).ready(() => true);
    await eventually('all are told to be ready', () => systemd.told().length === 3);
    await delay(100);
    assert.deepEqual(systemd.told(), ['--ready', '--ready', '--ready']);
  });
});
