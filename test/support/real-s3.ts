/**
 * A real S3 store for the contract of targets: one that the environment names, or SeaweedFS (`weed`) when it is installed.
 *
 *     PURSER_TEST_S3=s3://bucket/prefix PURSER_S3_ENDPOINT=… PURSER_S3_REGION=… AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…
 *
 * Everything lies below a prefix of its own. What is in a bucket of the environment stays there.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { AwsV4Signer } from 'aws4fetch';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { createTemporaryFolder } from './temporary-folder.ts';

export interface RealS3 {
  readonly url: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  close(): Promise<void>;
}

const KEYS = { accessKeyId: 'AKIDTEST', secretAccessKey: 'secretOfTheTest' };
const BUCKET = 'shop';

/** A text says why there is none. */
export function realS3(): (() => Promise<RealS3>) | string {
  const named = process.env.PURSER_TEST_S3;
  if (named !== undefined)
    return async () => ({ url: `${named}/${randomUUID()}`, env: process.env, close: async () => {} });
  const weed = programPath('weed');
  return weed === undefined
    ? 'PURSER_TEST_S3 is not set, and the program weed of SeaweedFS is not installed'
    : () => startWeed(weed);
}

function programPath(name: string): string | undefined {
  const paths = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function startWeed(weed: string): Promise<RealS3> {
  const folder = await createTemporaryFolder('weed');
  const ports = {
    s3: await freePort(),
    master: await freePort(),
    volume: await freePort(),
    filer: await freePort(),
  };
  const config = join(folder.path, 's3.json');
  const credentials = [{ accessKey: KEYS.accessKeyId, secretKey: KEYS.secretAccessKey }];
  writeFileSync(config, JSON.stringify({ identities: [{ name: 'test', credentials, actions: ['Admin'] }] }));
  const child = spawn(
    weed,
    [
      'server',
      `-dir=${folder.path}`,
      '-ip=127.0.0.1',
      '-ip.bind=127.0.0.1',
      `-master.port=${ports.master}`,
      `-volume.port=${ports.volume}`,
      `-filer.port=${ports.filer}`,
      ...['master', 'volume', 'filer', 's3'].map((part) => `-${part}.port.grpc=0`),
      '-s3',
      `-s3.port=${ports.s3}`,
      `-s3.config=${config}`,
    ],
    { stdio: 'ignore', cwd: folder.path },
  );
  const endpoint = `http://127.0.0.1:${ports.s3}`;
  await eventually('SeaweedFS makes a bucket', () => {
    if (child.exitCode !== null) throw new Error(`${weed} ended with ${child.exitCode}`);
    return makeBucket(`${endpoint}/${BUCKET}`);
  });
  return {
    url: `s3://${BUCKET}/backups`,
    env: {
      PURSER_S3_ENDPOINT: endpoint,
      PURSER_S3_PATH_STYLE: 'true',
      AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
    },
    close: async () => {
      if (child.exitCode === null) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await folder.remove();
    },
  };
}

async function makeBucket(url: string): Promise<boolean> {
  const { headers } = await new AwsV4Signer({
    method: 'PUT',
    url,
    service: 's3',
    region: 'us-east-1',
    ...KEYS,
  }).sign();
  try {
    return (await fetch(url, { method: 'PUT', headers })).ok;
  } catch {
    return false;
  }
}
