/** `purser doctor` as operators call it: on an empty folder, beside a running node, and with what is wrong. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { limitOfNode } from '../../src/doctor/checks/descriptors.ts';
import { CHECK_NAMES } from '../../src/doctor/doctor.ts';
import { purser, temporaryFolder } from '../cli/fake-operator.ts';
import { DnsServer } from '../support/dns-server.ts';
import { freePort } from '../support/free-port.ts';
import { OperatorClient, ok } from '../support/operator-client.ts';
import { OPERATOR_TOKEN, startPurser } from '../support/purser-process.ts';

interface Check {
  readonly name: string;
  readonly state: string;
  readonly advice: string;
}

let nameServer: DnsServer;
before(async () => {
  nameServer = await DnsServer.start();
});
after(() => nameServer.stop());

async function examine(flags: readonly string[], env: Record<string, string> = {}) {
  const own = ['--dns-server', nameServer.address, '--port', String(await freePort())];
  const args = ['doctor', '--json', ...own, '--operator-port', String(await freePort()), ...flags];
  const outcome = await purser(args, { env });
  const { checks } = JSON.parse(outcome.stdout) as { checks: Check[] };
  return { outcome, checks, of: (name: string) => checks.find((check) => check.name === name) };
}

describe('purser doctor', () => {
  it('makes all checks on an empty folder, and leaves it empty', async (context) => {
    const folder = temporaryFolder(context);
    const { outcome, checks, of } = await examine(['--data', folder]);
    assert.deepEqual(
      checks.map(({ name }) => name),
      CHECK_NAMES,
    );
    for (const check of checks) assert.deepEqual(Object.keys(check), ['name', 'state', 'advice']);
    for (const name of ['node', 'binary', 'versions', 'dns', 'ports'])
      assert.equal(of(name)?.state, 'ok', name);
    const failures = checks.filter(({ state }) => state === 'failed');
    assert.equal(outcome.exitCode, failures.length > 0 ? 1 : 0);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('makes no folder', async (context) => {
    const folder = join(temporaryFolder(context), 'not', 'there');
    const { of } = await examine(['--data', folder]);
    assert.match(of('disk-sync')?.advice ?? '', /a sync takes/);
    assert.ok(!existsSync(join(folder, '..')));
  });

  it('says in aligned lines what is wrong, and ends with 1', async (context) => {
    const taken = createServer();
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    try {
      const flags = ['--data', temporaryFolder(context), '--dns-server', nameServer.address];
      const { exitCode, stdout, stderr } = await purser(['doctor', ...flags, '--port', String(port)]);
      assert.equal(exitCode, 1);
      assert.match(
        stdout,
        /^failed {3}ports {9}cannot listen on 127\.0\.0\.1:\d+ \(--port\): another program/m,
      );
      assert.match(stdout, /^ok {7}node {10}Node/m);
      assert.match(stderr, new RegExp(`^error: \\d+ of ${CHECK_NAMES.length} checks failed\n$`));
    } finally {
      taken.close();
    }
  });

  it('ends with 2 when the settings are wrong', async () => {
    assert.equal((await purser(['doctor', '--port', 'x'])).exitCode, 2);
    assert.match((await purser(['doctor'], { env: { PURSER_PORT: 'x' } })).stderr, /PURSER_PORT/);
    assert.match((await purser(['doctor', '--tls-cert', 'a.crt'])).stderr, /tls-key is missing/);
  });

  it('shows a secret that cannot be read as a check that failed', async (context) => {
    const folder = temporaryFolder(context);
    const { outcome, of } = await examine(['--data', folder], { PURSER_MASTER_KEY_FILE: '/not/there' });
    assert.equal(outcome.exitCode, 1);
    assert.equal(of('settings')?.state, 'failed');
    assert.match(of('settings')?.advice ?? '', /PURSER_MASTER_KEY_FILE: "\/not\/there" cannot be read/);
    assert.equal(of('master-key')?.state, 'failed');
    assert.equal(of('versions')?.state, 'ok');
  });

  it('reads the certificate with which the node is to speak TLS', async (context) => {
    const folder = temporaryFolder(context);
    const certificate = join(folder, 'shop.crt');
    writeFileSync(certificate, 'none');
    const flags = ['--data', join(folder, 'data'), '--tls-cert', certificate, '--tls-key', certificate];
    const { of } = await examine(flags);
    assert.equal(of('tls')?.state, 'failed');
    assert.match(of('tls')?.advice ?? '', /shop\.crt does not hold a certificate in PEM/);
  });

  it('looks at a folder beside the node that has it, and after that', async (context) => {
    const folder = temporaryFolder(context);
    const node = await startPurser({ dataDir: folder });
    context.after(() => node.kill());
    const port = new URL(node.buyerUrl).port;
    const env = { PURSER_OPERATOR_TOKEN: OPERATOR_TOKEN };
    const beside = await examine(['--data', folder, '--port', port], env);
    assert.match(beside.of('ports')?.advice ?? '', new RegExp(`pid ${node.pid}\\) is ready`));
    assert.match(beside.of('ports')?.advice ?? '', /the buyer API is open/);
    assert.match(beside.of('backup')?.advice ?? '', /--backup TARGET/);
    assert.match(beside.of('archive')?.advice ?? '', /when somebody calls purser archive/);
    assert.match(beside.of('master-key')?.advice ?? '', /in the folder/);
    assert.equal((await fetch(`${node.operatorUrl}/ready`)).status, 200);

    const elsewhere = await examine(['--data', folder, '--port', String(await freePort())], env);
    assert.match(elsewhere.of('ports')?.advice ?? '', /flags that the node was started with/);

    assert.equal(await node.stop(), 0);
    const stopped = await examine(['--data', folder], env);
    assert.equal(stopped.of('ports')?.state, 'ok');
  });

  it('reads the target of the daily archive', async (context) => {
    const folder = join(temporaryFolder(context), 'data');
    const target = join(temporaryFolder(context), 'old');
    const of = async (...flags: string[]) => (await examine(['--data', folder, ...flags])).of('archive');
    const both = ['--archive-target', target, '--archive-after', '400d'];
    assert.match((await of('--archive-target', target))?.advice ?? '', /say with --archive-after/);
    assert.match((await of('--archive-after', '400d'))?.advice ?? '', /say with --archive-target/);
    assert.match((await of(...both))?.advice ?? '', /the first archive begins at/);
    const node = await startPurser({ dataDir: folder });
    context.after(() => node.kill());
    const operator = new OperatorClient(node.operatorUrl, OPERATOR_TOKEN);
    await ok(operator.createAccount({ name: 'a buyer' }));
    const command = ['archive', target, '--before', String(Date.now()), '--data', folder];
    const moved = await purser(command, { env: { PURSER_OPERATOR_TOKEN: OPERATOR_TOKEN } });
    assert.equal(moved.exitCode, 0, moved.stderr);
    assert.equal(await node.stop(), 0);
    assert.match((await of(...both))?.advice ?? '', /old can be read, and has facts up to \d+$/);
    rmSync(target, { recursive: true });
    const gone = await of(...both);
    assert.equal(gone?.state, 'failed');
    assert.match(gone?.advice ?? '', /the archive's target cannot be read: .*there is no such folder/);
    mkdirSync(target);
    assert.match((await of(...both))?.advice ?? '', /facts up to 0 only.*name the target that has them/);
  });

  it('reads the limits of the node, and of no other process that has its number elsewhere', async (context) => {
    const folder = temporaryFolder(context);
    const limited = join(temporaryFolder(context), 'node');
    writeFileSync(limited, `#!/bin/sh\nulimit -n 5123\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
    const node = await startPurser({ dataDir: folder, nodeBinary: limited });
    context.after(() => node.kill());
    assert.match((await examine(['--data', folder])).of('descriptors')?.advice ?? '', /^5123 files/);
    assert.deepEqual(limitOfNode(node.pid, folder), { limit: 5123 });
    assert.equal(limitOfNode(process.pid, folder), undefined);
  });

  it('does not miss the master key that a running node has in its environment', async (context) => {
    const folder = temporaryFolder(context);
    const PURSER_MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
    const node = await startPurser({ dataDir: folder, env: { PURSER_MASTER_KEY } });
    context.after(() => node.kill());
    const without = (await examine(['--data', folder])).of('master-key');
    assert.equal(without?.state, 'warning');
    assert.match(without?.advice ?? '', /its own environment/);
    const having = (await examine(['--data', folder], { PURSER_MASTER_KEY })).of('master-key');
    assert.equal(having?.state, 'ok', having?.advice);
    const wrong = { PURSER_MASTER_KEY: Buffer.alloc(32, 8).toString('base64') };
    assert.equal((await examine(['--data', folder], wrong)).of('master-key')?.state, 'failed');
  });

  it('holds a copy of the master key against the folder', async (context) => {
    const folder = temporaryFolder(context);
    const node = await startPurser({ dataDir: folder });
    context.after(() => node.kill());
    assert.equal(await node.stop(), 0);
    const copy = join(temporaryFolder(context), 'key');
    copyFileSync(join(folder, 'master-key'), copy);
    const keyOf = async () => (await examine(['--data', folder, '--master-key-copy', copy])).of('master-key');
    assert.match((await keyOf())?.advice ?? '', /is on the disk of the data folder/);
    assert.equal((await keyOf())?.state, 'warning');
    writeFileSync(copy, `${Buffer.alloc(32, 7).toString('base64')}\n`);
    assert.match((await keyOf())?.advice ?? '', /is another key/);
    chmodSync(join(folder, 'master-key'), 0o644);
    const { of, outcome } = await examine(['--data', folder]);
    assert.equal(outcome.exitCode, 1);
    assert.match(of('permissions')?.advice ?? '', /chmod 600/);
    assert.equal(of('master-key')?.state, 'failed');
  });
});
