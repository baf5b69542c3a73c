/** `purser doctor` as operators call it: on an empty folder, beside a running node and after it, and with what is wrong. */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CHECK_NAMES } from '../../src/doctor/doctor.ts';
import { purser } from '../cli/fake-operator.ts';
import { QuietNode } from '../support/nodes/quiet-node.ts';
import { DnsServer } from '../support/servers/dns-server.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

interface Check {
  readonly name: string;
  readonly state: string;
  readonly advice: string;
}

const OTHER_KEY = Buffer.alloc(32, 7).toString('base64');

describe('purser doctor', () => {
  let nameServer: DnsServer;
  let place: TemporaryFolder;
  let node: QuietNode;
  before(async () => {
    [nameServer, place] = [await DnsServer.start(), await createTemporaryFolder('doctor')];
    node = await QuietNode.start('doctor-node');
  });
  after(async () => {
    await node.close();
    await nameServer.stop();
    await place.remove();
  });

  const at = (name: string) => join(place.path, name);

  async function examine(data: string, flags: readonly string[] = [], env: Record<string, string> = {}) {
    const own = ['--data', data, '--dns-server', nameServer.address];
    const outcome = await purser(['doctor', '--json', ...own, ...flags], { env });
    const { checks } = JSON.parse(outcome.stdout) as { checks: Check[] };
    const of = (name: string) => {
      const { state = '', advice = '' } = checks.find((check) => check.name === name) ?? {};
      return `${state}: ${advice}`;
    };
    return { outcome, checks, of };
  }

  it('makes all checks on an empty folder, and leaves it empty', async () => {
    mkdirSync(at('empty'));
    const { outcome, checks, of } = await examine(at('empty'));
    assert.deepEqual(
      checks.map(({ name }) => name),
      CHECK_NAMES,
    );
    for (const check of checks) assert.deepEqual(Object.keys(check), ['name', 'state', 'advice']);
    for (const name of ['settings', 'folder', 'dns', 'log']) assert.match(of(name), /^ok/, name);
    assert.equal(outcome.exitCode, checks.some(({ state }) => state === 'failed') ? 1 : 0);
    assert.deepEqual(readdirSync(at('empty')), []);
    assert.match((await examine(at('not/there'))).of('disk-sync'), /a sync takes/);
    assert.ok(!existsSync(at('not')), 'nor makes one');
  });

  it('says in aligned lines what is wrong, and ends with 1', async () => {
    writeFileSync(at('shop.crt'), 'none');
    const tls = ['--tls-cert', at('shop.crt'), '--tls-key', at('shop.crt')];
    const flags = ['--data', at('empty'), '--dns-server', nameServer.address, ...tls];
    const { exitCode, stdout, stderr } = await purser(['doctor', ...flags]);
    assert.equal(exitCode, 1);
    assert.match(stdout, /^failed {3}tls {11}.*shop\.crt does not hold a certificate in PEM/m);
    assert.match(stdout, /^ok {7}dns {11}\S/m);
    assert.match(stderr, new RegExp(`^error: \\d+ of ${CHECK_NAMES.length} checks failed\n$`));
  });

  it('looks at the log of a cluster', async () => {
    const log = 'postgres://shop@127.0.0.1:1/shop?sslmode=disable';
    const { of } = await examine(at('empty'), ['--log', log, '--node', 'a', '--url', 'http://a.example']);
    assert.match(of('log'), /^failed: the log is not reachable at 127\.0\.0\.1:1: .*ECONNREFUSED/);
    assert.match((await examine(at('empty'))).of('log'), /^ok/);
  });

  it('looks at a folder beside the node that has it', async () => {
    const { of } = await examine(node.folder.path);
    assert.match(of('folder'), new RegExp(`^ok: a node has .*pid ${process.pid}`));
    assert.match(of('master-key'), /in the folder/);
  });

  it('reads a copy of the master key, when the node has ended', async () => {
    const { path } = node.folder;
    await node.stop();
    copyFileSync(join(path, 'master-key'), at('copy'));
    const sound = await examine(path, ['--master-key-copy', at('copy')]);
    assert.match(sound.of('folder'), /^ok: .* has a shop/);
    assert.match(sound.of('master-key'), /^warning: .*is on the disk of the data folder/);
    writeFileSync(at('copy'), `${OTHER_KEY}\n`);
    assert.match((await examine(path, ['--master-key-copy', at('copy')])).of('master-key'), /is another key/);
  });
});
