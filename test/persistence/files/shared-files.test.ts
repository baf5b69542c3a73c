/** Files of products that nodes share: put before they are named, and in every folder soon. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import type { SharedFiles } from '../../../src/persistence/files/shared-files.ts';
import { eventually } from '../../support/eventually.ts';
import { patternBytes } from '../../support/pattern-bytes.ts';
import { chunksOf, FileScene, readBack } from './file-scene.ts';

const PDF = 'application/pdf';
const CONTENT = patternBytes(300_000, 1);

/** Shared files in memory; whatever is asked fails while there is a `fault`. */
class MemorySharedFiles implements SharedFiles {
  readonly files = new Map<string, Buffer>();
  fault: Error | undefined;
  fetches = 0;

  async put(fileId: string, path: string): Promise<void> {
    this.#ask();
    this.files.set(fileId, readFileSync(path));
  }

  async fetch(fileId: string, path: string): Promise<void> {
    this.fetches += 1;
    await new Promise((resolve) => setImmediate(resolve));
    this.#ask();
    writeFileSync(path, this.files.get(fileId) ?? '');
  }

  async names(after: string, limit: number): Promise<string[]> {
    this.#ask();
    const names = [...this.files.keys()].filter((name) => name > after);
    return names.toSorted().slice(0, limit);
  }

  async remove(fileId: string): Promise<void> {
    this.#ask();
    this.files.delete(fileId);
  }

  mayPass(error: unknown): boolean {
    return error === AWAY;
  }

  #ask(): void {
    if (this.fault !== undefined) throw this.fault;
  }
}

const AWAY = new Error('nobody answers');
const FULL = Object.assign(new Error('no room'), { code: 'ENOSPC' });
const REFUSED = new Error('not for you');

async function twoNodes() {
  const shared = new MemorySharedFiles();
  const leader = await FileScene.open({ shared });
  const said: string[] = [];
  const log = {
    warn: (line: string) => said.push(`warning: ${line}`),
    error: (line: string) => said.push(`error: ${line}`),
  };
  const follower = await FileScene.open({ shared, log });
  const add = () => leader.store.add(chunksOf(CONTENT), PDF);
  const close = () => Promise.all([leader, follower].map((scene) => scene[Symbol.asyncDispose]()));
  return { shared, leader, follower, said, add, [Symbol.asyncDispose]: async () => void (await close()) };
}

test('a file is shared before it has a name, and fetched by whoever needs it, once', async () => {
  await using nodes = await twoNodes();
  const { fileId } = await nodes.add();
  assert.deepEqual(nodes.shared.files.get(fileId), nodes.leader.bytesOnDisk(fileId));
  const read = await Promise.all([1, 2].map(() => readBack(nodes.follower.store, fileId)));
  assert.ok(read.every((bytes) => bytes.equals(CONTENT)));
  assert.equal(nodes.shared.fetches, 1);
  assert.deepEqual(nodes.follower.names(), [fileId]);
  assert.deepEqual(nodes.follower.bytesOnDisk(fileId), nodes.leader.bytesOnDisk(fileId));
});

test('a file that could not be shared is not there, and one that is discarded is nowhere', async () => {
  await using nodes = await twoNodes();
  nodes.shared.fault = AWAY;
  await assert.rejects(nodes.add(), /nobody answers/);
  assert.deepEqual(nodes.leader.names(), []);
  nodes.shared.fault = undefined;
  const { fileId } = await nodes.add();
  await nodes.leader.store.discard(fileId);
  assert.deepEqual([nodes.leader.names(), nodes.shared.files.size], [[], 0]);
});

test('a node fetches in the background what it lacks, and then what facts name', async () => {
  await using nodes = await twoNodes();
  const first = await nodes.add();
  // What another node has begun to put, and a name that nobody should have given.
  nodes.shared.files.set('0'.repeat(32), Buffer.from('the beginning of a file'));
  nodes.shared.files.set('../key-ring', Buffer.from('outside'));
  nodes.follower.store.want();
  const isThere = (fileId: string) => existsSync(nodes.follower.pathOf(fileId));
  await eventually('the first is there', () => isThere(first.fileId));
  const second = await nodes.add();
  nodes.follower.store.want(second.fileId);
  await eventually('the second is there', () => isThere(second.fileId));
  assert.deepEqual(nodes.follower.names().toSorted(), [first.fileId, second.fileId].toSorted());
});

test('what may pass is told once, and fetching goes on by itself', async () => {
  await using nodes = await twoNodes();
  const { fileId } = await nodes.add();
  const { shared, follower, said } = nodes;
  shared.fault = AWAY;
  follower.store.want();
  await eventually('nobody answers', () => said.length === 1);
  const tried = shared.fetches;
  follower.store.want(fileId);
  shared.fault = FULL;
  await eventually('the disk is full', () => said.length === 2);
  shared.fault = undefined;
  await eventually('it is there', () => existsSync(follower.pathOf(fileId)));
  assert.ok(shared.fetches > tried);
  assert.deepEqual(said, [
    'warning: nobody answers: it is tried again',
    'warning: no room: it is tried again',
  ]);
});

test('what does not pass is told as an error, and nothing is forgotten until the next file is wanted', async () => {
  await using nodes = await twoNodes();
  const { shared, follower, said } = nodes;
  const first = await nodes.add();
  follower.store.want();
  await eventually('the first is there', () => existsSync(follower.pathOf(first.fileId)));
  const second = await nodes.add();
  shared.fault = REFUSED;
  follower.store.want(second.fileId);
  await eventually('it is told', () => said.length > 0);
  shared.fault = undefined;
  const third = await nodes.add();
  follower.store.want(third.fileId);
  for (const { fileId } of [second, third])
    await eventually('it is there', () => existsSync(follower.pathOf(fileId)));
  assert.deepEqual(
    said.map((line) => line.replaceAll(second.fileId, 'F')),
    [
      "error: files of other nodes are not fetched until the next one: file F cannot be read: it can't be got from the other nodes: not for you",
    ],
  );
});

test('a file whose bytes are changed, cut off or missing is told, and can be had later', async () => {
  await using nodes = await twoNodes();
  const { fileId } = await nodes.add();
  const whole = nodes.shared.files.get(fileId) ?? Buffer.alloc(0);
  const changed = Buffer.from(whole.with(7, (whole[7] ?? 0) ^ 1));
  for (const broken of [changed, whole.subarray(0, -600), Buffer.alloc(0)]) {
    nodes.shared.files.set(fileId, broken);
    await assert.rejects(nodes.follower.store.openFile(fileId), { name: 'FileError', reason: 'unreadable' });
    assert.deepEqual(nodes.follower.names(), []);
  }
  nodes.shared.files.set(fileId, whole);
  assert.ok((await readBack(nodes.follower.store, fileId)).equals(CONTENT));
});
