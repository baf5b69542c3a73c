/** PUT /operator/v1/products/{id}/file (DESIGN.md §7). */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { FILE_ID_FORM } from '../../../src/persistence/files/files-folder.ts';
import { eventually } from '../../support/eventually.ts';
import { feed } from '../../support/feed.ts';
import { ok } from '../../support/operator-client.ts';
import { patternBytes } from '../../support/pattern-bytes.ts';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { casesOf, type Scene } from '../scene.ts';

const GIBIBYTE = 1024 ** 3;

/** In pieces, and without a length. */
function streamed(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let offset = 0;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.subarray(offset, offset + 50_000));
      offset += 50_000;
      if (offset >= bytes.length) controller.close();
    },
  });
}

/** Sends the head of an upload, and what else it is told to. */
function beginUpload(scene: Scene, productId: number, ...headers: string[]): Socket {
  const { hostname, port, pathname } = new URL(scene.server.operatorUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  const lines = [
    `PUT ${pathname}/products/${productId}/file HTTP/1.1`,
    `host: ${hostname}`,
    `authorization: Bearer ${scene.server.operatorToken}`,
    ...headers,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}

async function answerOf(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket) {
    text += String(chunk);
    if (text.includes('requestId')) break;
  }
  return text;
}

/** Files and uploads that are under way. Among what is unfinished, other parts of the node write, too. */
function filesOnDisk(scene: Scene): string[] {
  const names = ['files', 'unfinished'].flatMap((name) => readdirSync(join(scene.dataDir, name)));
  return names.filter((name) => FILE_ID_FORM.test(name.replace(/^file-/, ''))).sort();
}

export const files = casesOf('uploads of files', (scene) => {
  test('the answer is the product with its file', async () => {
    const productId = await scene.product({ type: 'file' });
    assert.equal((await ok(scene.operator.getProduct(productId))).file, undefined);
    const bytes = patternBytes(100_001, 1);
    const reply = await scene.operator.setFile(productId, bytes, 'application/pdf');
    assertDone(reply, 200);
    const { file } = reply.body;
    assert.deepEqual(file, {
      fileId: file?.fileId,
      sizeBytes: bytes.length,
      contentType: 'application/pdf',
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    assert.deepEqual([reply.body.productId, reply.body.availableStock], [productId, 'unlimited']);
    assert.deepEqual((await ok(scene.operator.getProduct(productId))).file, file);
    const second = (await ok(scene.operator.setFile(productId, bytes))).file;
    assert.notEqual(second?.fileId, file?.fileId);
    assert.deepEqual((await ok(scene.operator.getProduct(productId))).file, second);
  });

  test('a product of another type, a bad Content-Type or none, and an empty file are 400, and leave nothing', async () => {
    const before = filesOnDisk(scene);
    const productId = await scene.product({ type: 'file' });
    const manual = await scene.product({ type: 'manual' });
    for (const [id, bytes, contentType] of [
      [await scene.product(), 10, 'a/b'] as const,
      [manual, 10, 'a/b'] as const,
      [productId, 0, 'a/b'] as const,
      ...['pdf', 'a/b; c', 'a/b, a/c', `a/${'b'.repeat(127)}`].map((type) => [productId, 10, type] as const),
    ]) {
      const reply = await scene.operator.setFile(id, patternBytes(bytes, 1), contentType);
      assertRefused(reply, 400, 'BAD_REQUEST');
    }
    const socket = beginUpload(scene, productId, 'content-length: 1');
    socket.write('x');
    assert.match(await answerOf(socket), /^HTTP\/1\.1 400 [\s\S]*Content-Type is missing/);
    socket.destroy();
    assert.deepEqual(filesOnDisk(scene), before);
  });

  test('a product that doesn’t exist is 404, before anything is stored', async () => {
    const before = filesOnDisk(scene);
    assertRefused(await scene.operator.setFile(999_999, patternBytes(10, 1)), 404, 'NOT_FOUND');
    // A gigabyte is announced, and the answer comes after a mebibyte or two.
    const socket = beginUpload(scene, 999_999, 'content-type: a/b', `content-length: ${GIBIBYTE}`);
    feed(socket);
    assert.match(await answerOf(socket), /^HTTP\/1\.1 404 [\s\S]*"error":"NOT_FOUND"/);
    socket.destroy();
    assert.deepEqual(filesOnDisk(scene), before);
  });

  test('a file that announces more than 1 GiB is 400, before it is read', async () => {
    const productId = await scene.product({ type: 'file' });
    const socket = beginUpload(scene, productId, 'content-type: a/b', `content-length: ${GIBIBYTE + 1}`);
    feed(socket);
    assert.match(await answerOf(socket), /^HTTP\/1\.1 400 [\s\S]*at most 1073741824 bytes/);
    socket.destroy();
  });

  test('an upload that breaks off changes nothing and leaves nothing', async () => {
    const productId = await scene.product({ type: 'file' });
    const before = filesOnDisk(scene);
    const socket = beginUpload(scene, productId, 'content-type: a/b', 'content-length: 1000000');
    socket.write(Buffer.alloc(500_000));
    await eventually('the upload begins', () => filesOnDisk(scene).length > before.length);
    socket.destroy();
    await eventually('what was uploaded is gone', () => filesOnDisk(scene).length === before.length);
    assert.deepEqual(filesOnDisk(scene), before);
    assert.equal((await ok(scene.operator.getProduct(productId))).file, undefined);
  });

  test('as many uploads as come at once are stored, or refused as too many', async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const productId = await scene.product({ type: 'file' });
        return scene.operator.setFile(productId, streamed(patternBytes(2_000_000, index)));
      }),
    );
    for (const [index, reply] of replies.entries()) {
      if (reply.status === 429) assertRefused(reply, 429, 'RATE_LIMITED');
      else {
        assertDone(reply, 200);
        const sha256 = createHash('sha256').update(patternBytes(2_000_000, index)).digest('hex');
        assert.equal(reply.body.file?.sha256, sha256);
      }
    }
    assert.ok(replies.filter(({ status }) => status === 200).length >= 4);
  });
});
