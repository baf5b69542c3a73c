/** An import that the disk has no room for: its answer says exactly what was done, and the same table does the rest. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startPurser } from '../../../support/nodes/purser-process.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../../../support/small-disk.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';

const LINES = 8_000;
const DISK_MEGABYTES = 96;
const LEFT_BYTES = 1_000_000;

test('an import stopped by a full disk tells what it did, and goes on when there is room', {
  skip: whyNoSmallDisk() ?? false,
}, async () => {
  const folder = await createTemporaryFolder('full-disk-import');
  const disk = mountSmallDisk(folder.path, DISK_MEGABYTES);
  const node = await startPurser({ dataDir: join(disk.path, 'data') });
  const call = async (path: string, table?: string, accept = 'application/json') => {
    const reply = await fetch(`${node.operatorUrl}${path}`, {
      headers: { authorization: `Bearer ${node.operatorToken}`, 'content-type': 'text/csv', accept },
      ...(table === undefined ? {} : { method: 'POST', body: table }),
    });
    return { status: reply.status, text: await reply.text() };
  };
  /** Stops an import amid its work, and lets it be finished. */
  const stopAndGoOn = async (path: string, table: string, told: RegExp, done: () => Promise<number>) => {
    disk.fill(LEFT_BYTES);
    const stopped = await call(path, table);
    assert.equal(stopped.status, 500, stopped.text);
    const { message } = JSON.parse(stopped.text) as { message: string };
    const count = Number(told.exec(message)?.[1]);
    assert.ok(count < LINES, message);
    assert.match(message, /same table again for the rest.*disk of the data folder is full.*Make room/);
    assert.equal(await done(), count);
    disk.free();
    let last = await call(path, table);
    while (last.status === 500) last = await call(path, table);
    const { created, unchanged, errorCount } = JSON.parse(last.text) as Record<string, number>;
    assert.deepEqual([Number(created) + Number(unchanged), errorCount], [LINES, 0]);
    assert.ok(Number(unchanged) >= count);
    assert.equal(await done(), LINES);
  };
  const table = (head: string, line: (at: number) => string) =>
    `${head}\n${Array.from({ length: LINES }, (_, at) => line(at)).join('\n')}\n`;
  try {
    const text = 'long '.repeat(100);
    await stopAndGoOn(
      '/products/import',
      table('sku,name,priceUsdt,description', (at) => `sku-${at},P,1,${text}`),
      /^(\d+) products were created and 0 updated, and that stays/,
      async () => (await call('/products', undefined, 'text/csv')).text.trim().split('\r\n').length - 1,
    );
    const made = await fetch(`${node.operatorUrl}/price-lists`, {
      method: 'POST',
      headers: { authorization: `Bearer ${node.operatorToken}`, 'content-type': 'application/json' },
      body: '{"name":"a"}',
    });
    const { priceListId } = (await made.json()) as { priceListId: number };
    const tiers = Array.from({ length: 20 }, (_, at) => `${at + 2}:1.${99 - at}`).join(' ');
    await stopAndGoOn(
      `/price-lists/${priceListId}/import`,
      table('sku,priceUsdt,priceTiers', (at) => `sku-${at},2,${tiers}`),
      /^(\d+) prices were set, and that stays/,
      async () =>
        Number(
          (JSON.parse((await call('/price-lists')).text) as { priceLists: { prices: number }[] })
            .priceLists[0]?.prices,
        ),
    );
  } finally {
    await node.kill();
    disk.unmount();
    await folder.remove();
  }
});
