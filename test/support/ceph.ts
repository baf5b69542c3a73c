/**
 * A Ceph of one process of each kind, in memory, as a real S3 store for tests. It takes the programs of Debian's packages
 * `ceph-mon`, `ceph-osd` and `radosgw`, needs no rights and about 150 MB of memory, and is there within some seconds.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AwsV4Signer } from 'aws4fetch';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);
const KEYS = { accessKeyId: 'AKIDTEST', secretAccessKey: 'secretOfTheTest' };
const BUCKET = 'shop';
const COMMAND_MS = 60_000;

export interface Ceph {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function startCeph(): Promise<Ceph> {
  const folder = await createTemporaryFolder('ceph');
  const at = (name: string) => join(folder.path, name);
  const [monitor, gateway, cluster, disk] = [await freePort(), await freePort(), randomUUID(), randomUUID()];
  writeFileSync(at('ceph.conf'), configuration(folder.path, cluster, monitor, gateway));
  writeFileSync(at('keyring'), '');
  await Promise.all(['mon', 'osd'].map((name) => mkdir(at(name))));
  const ceph = (program: string, ...args: string[]) =>
    run(program, args, { env: { ...process.env, CEPH_CONF: at('ceph.conf') }, timeout: COMMAND_MS });
  const close = async () => {
    for (const name of readdirSync(folder.path).filter((file) => file.endsWith('.pid'))) endProcess(at(name));
    await delay(200);
    await folder.remove();
  };
  try {
    const address = `[v1:127.0.0.1:${monitor}]`;
    await ceph('monmaptool', '--create', '--fsid', cluster, '--addv', 'a', address, at('monmap'));
    await ceph('ceph-mon', '--mkfs', '-i', 'a', '--monmap', at('monmap'));
    await ceph('ceph-mon', '-i', 'a');
    await ceph('ceph', 'osd', 'new', disk, '0');
    await ceph('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', disk);
    await ceph('ceph-osd', '-i', '0');
    const keys = [`--access-key=${KEYS.accessKeyId}`, `--secret-key=${KEYS.secretAccessKey}`];
    await ceph('radosgw-admin', '-n', 'client.rgw', 'user', 'create', '--uid=t', '--display-name=t', ...keys);
    await ceph('radosgw', '-n', 'client.rgw');
    const endpoint = `http://127.0.0.1:${gateway}`;
    await eventually('Ceph makes a bucket', () => makeBucket(`${endpoint}/${BUCKET}`));
    return {
      url: `s3://${BUCKET}/backups`,
      env: {
        PURSER_S3_ENDPOINT: endpoint,
        AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
        AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function configuration(folder: string, cluster: string, monitor: number, gateway: number): string {
  return `
[global]
fsid = ${cluster}
mon host = v1:127.0.0.1:${monitor}
mon initial members = a
ms bind msgr2 = false
public addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
mon allow pool size one = true
mon data avail crit = 1
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 2
osd pool default pgp num = 2
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 1073741824
mon data = ${join(folder, 'mon')}
osd data = ${join(folder, 'osd')}
run dir = ${folder}
admin socket = ${folder}/$name.asok
log file = ${folder}/$name.log
pid file = ${folder}/$name.pid
rgw frontends = beast endpoint=127.0.0.1:${gateway}
rgw thread pool size = 16
[client.rgw]
keyring = ${join(folder, 'keyring')}
`;
}

function endProcess(pidFile: string): void {
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

async function makeBucket(url: string): Promise<boolean> {
  const signer = new AwsV4Signer({ method: 'PUT', url, service: 's3', region: 'us-east-1', ...KEYS });
  try {
    return (await fetch(url, { method: 'PUT', headers: (await signer.sign()).headers })).ok;
  } catch {
    return false;
  }
}
