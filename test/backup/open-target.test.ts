/** Targets as operators write them, and the errors for what is none. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { TargetError } from '../../src/backup/target/backup-target.ts';
import { openTarget } from '../../src/backup/target/open-target.ts';
import { s3Settings } from '../../src/backup/target/s3-settings.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';

const KEYS = { AWS_ACCESS_KEY_ID: 'AKID', AWS_SECRET_ACCESS_KEY: 'hidden/secret' };
const AT_AWS = { ...KEYS, PURSER_S3_REGION: 'eu-central-1' };
const AT_STORE = { ...KEYS, PURSER_S3_ENDPOINT: 'https://s3.example.com' };

function refusedWith(message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof TargetError, String(error));
    assert.equal(error.fault, 'refused', error.message);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /hidden|\n/);
    return true;
  };
}

describe('the URL of a bucket', () => {
  const below = { ...KEYS, PURSER_S3_ENDPOINT: 'https://x.example/storage/v1/s3/' };
  const requests: readonly (readonly [string, Record<string, string>, string, string])[] = [
    ['s3://shop', AT_AWS, 'https://shop.s3.eu-central-1.amazonaws.com', ''],
    ['s3://my.shop/a', AT_AWS, 'https://s3.eu-central-1.amazonaws.com/my.shop', 'a/'],
    ['s3://shop/', { ...AT_STORE, PURSER_S3_PATH_STYLE: 'true' }, 'https://s3.example.com/shop', ''],
    ['s3://shop', below, 'https://shop.x.example/storage/v1/s3', ''],
  ];
  test('says where it is asked', () => {
    for (const [text, env, bucketUrl, prefix] of requests) {
      const settings = s3Settings(text, env);
      assert.deepEqual([settings.bucketUrl, settings.prefix], [bucketUrl, prefix], text);
      assert.equal(settings.url, `s3://${text.split('/').filter(Boolean).slice(1).join('/')}`);
    }
  });

  const wrong: readonly (readonly [string, Record<string, string>, RegExp])[] = [
    ['s3://', AT_STORE, /names no bucket; write it as s3:\/\/bucket\/prefix/],
    ['s3://id:hidden@shop/a', AT_STORE, /write keys into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY/],
    ['s3://shop/../x', AT_STORE, /"\.\." can't be a part/],
    ['s3://shop', KEYS, /set PURSER_S3_ENDPOINT to its URL, or for AWS PURSER_S3_REGION/],
    ['s3://shop', { ...KEYS, PURSER_S3_REGION: 'eu/../x' }, /PURSER_S3_REGION is no region of AWS/],
    ['s3://shop', { ...KEYS, PURSER_S3_ENDPOINT: 'https://id:hidden@s3.example.com' }, /without keys/],
    ['s3://shop', { ...AT_STORE, AWS_ACCESS_KEY_ID: ' ' }, /AWS_ACCESS_KEY_ID is not set/],
    ['gs://shop', {}, /is no target of a backup; give a folder, or the URL of a bucket/],
    ['https://me:hidden@s3.example.com/shop', {}, /"https:\/\/…@s3.example.com\/shop" is no target/],
  ];
  test('what is no target is refused, in one sentence without a key', () => {
    for (const [text, env, message] of wrong)
      assert.throws(() => openTarget(text, env, { makesFolder: true }), refusedWith(message));
  });
});

describe('a folder', () => {
  let folder: TemporaryFolder;
  before(async () => {
    folder = await createTemporaryFolder('open-target');
  });
  after(() => folder.remove());

  const path = (...parts: string[]) => join(folder.path, ...parts);
  const openHere = (name: string, makesFolder = true, answerMs = 30_000) =>
    openTarget(path(name), {}, { makesFolder, patience: { answerMs, bytesPerSecond: 1e9 } });

  test('is made by who writes, in a folder that is there, and once', async () => {
    await assert.rejects(
      openHere('not-yet', false).read('a'),
      refusedWith(/not-yet: there is no such folder; check its name, or mount/),
    );
    await assert.rejects(
      openHere('no/way').create('a', Buffer.from('x')),
      refusedWith(/no: there is no such folder/),
    );
    const target = openHere('made');
    const create = (name: string) => target.create(name, Buffer.from('x'));
    assert.equal(await create('log/a'), true);
    rmSync(path('made'), { recursive: true });
    await assert.rejects(create('log/b'), refusedWith(/made: there is no such folder/));
    assert.equal(existsSync(path('made')), false, 'a disk that was unmounted is not replaced');
    mkdirSync(path('made'));
    await create('log/b').catch(() => {});
    assert.equal(await create('log/c'), true, 'when it is there again, it is used again');
  });

  test('shows no unfinished objects, and loses old ones', async () => {
    await openHere('tidy').create('a', Buffer.from('x'));
    for (const name of ['old', 'new']) writeFileSync(path('tidy', '.unfinished', name), 'half');
    utimesSync(path('tidy', '.unfinished', 'old'), 1, 1);
    const target = openHere('tidy');
    await target.create('b', Buffer.from('x'));
    const names = [];
    const byUrl = openTarget(pathToFileURL(path('tidy')).href, {}, { makesFolder: false });
    for await (const { name } of byUrl.list('')) names.push(name);
    assert.deepEqual(names, ['a', 'b']);
    assert.deepEqual(readdirSync(path('tidy', '.unfinished')), ['new']);
  });

  test('that does not answer ends the call, and holds one thread until it does', async () => {
    const target = openHere('hung', true, 200);
    await target.create('a', Buffer.from('x'));
    execFileSync('mkfifo', [path('hung', 'pipe')]);
    const late = (error: unknown) => error instanceof TargetError && /no answer within/.test(error.message);
    // To open a pipe waits until somebody writes to it, as a network file system waits for its server.
    await assert.rejects(target.read('pipe'), late);
    await assert.rejects(target.read('a'), late, 'what comes behind waits in vain, and takes no thread');
    await target.close();
    assert.equal(target.holdsThread, true);
    await (await openFile(path('hung', 'pipe'), 'w')).close();
    assert.equal(String(await target.read('a')), 'x');
    assert.equal(target.holdsThread, false);
  });
});
