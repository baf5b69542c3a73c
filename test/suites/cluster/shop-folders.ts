/** Folders of a shop: one that has some of everything, what is in one, and whether two have the same. */
import assert from 'node:assert/strict';
import { FolderSnapshot } from '../../../src/persistence/folder/folder-snapshot.ts';
import { decodePart } from '../../../src/persistence/folder/row-stream.ts';
import { WriteGate } from '../../../src/threads/write-gate.ts';
import { QuietNode } from '../../support/nodes/quiet-node.ts';
import { ok } from '../../support/operator-client.ts';

/** A folder with a bit of everything that a join brings: orders, texts of either kind, a file. */
export async function madeShop(path: string): Promise<string> {
  const node = await QuietNode.start(
    { path, remove: async () => undefined },
    { webhookAllow: '127.0.0.0/8' },
  );
  const { operator, buyers } = node;
  const { accountId = 0 } = await ok(operator.createAccount({ name: 'a buyer' }));
  await ok(operator.credit(accountId, 1_000, 'first'));
  const { apiKey = '' } = await ok(operator.issueKey(accountId));
  const product = (type: string) =>
    ok(operator.createProduct({ name: type, description: '', instructions: '', priceUsdt: 1, type }));
  const { productId: codes = 0 } = await product('standard');
  await ok(operator.addStock(codes, Array.from({ length: 300 }, (_, item) => `code ${item}`).join('\n')));
  const { productId: book = 0 } = await product('file');
  await ok(operator.setFile(book, Buffer.from('a book'), 'application/pdf'));
  const { productId: service = 0 } = await product('manual');
  for (const [at, productId] of [service, book, ...Array.from({ length: 60 }, () => codes)].entries())
    assert.ok((await buyers.purchase(apiKey, `key-${at}`, { productId, expectedPriceUsdt: 1 })).status < 300);
  await ok(operator.json('POST', '/orders/1/complete', { items: ['by hand'] }));
  await node.stop();
  return path;
}

/** The number of the last one. */
export async function factsOf(folder: string): Promise<number> {
  const snapshot = await FolderSnapshot.take(folder, new WriteGate());
  for (const _ of snapshot.parts());
  await snapshot.close();
  return snapshot.head.position;
}

/** All rows of all files. Segments may begin elsewhere. */
export async function assertSame(folder: string, other: string): Promise<void> {
  const rows = async (of: string) => {
    const snapshot = await FolderSnapshot.take(of, new WriteGate());
    const found: string[] = [];
    for (const part of snapshot.parts()) {
      for (const record of decodePart(part)) {
        if (record.kind === 'row')
          found.push(`${record.key.toString('hex')} ${record.value.toString('hex')}`);
        else if (record.kind === 'text') found.push(`${record.name} ${Buffer.from(record.bytes)}`);
        else found.push(record.name);
      }
    }
    await snapshot.close();
    return found;
  };
  assert.deepEqual(await rows(folder), await rows(other));
}
