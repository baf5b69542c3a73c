/**
 * A data folder of version 11 as far as this test goes, and the steps from there to the present version. Versions 11 and
 * 12 are made up: in 11, every byte of `stock.mdb` and `checkpoint.mdb` is turned round, in 12 those of the checkpoint.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { loadConfig } from '../../../../src/config/config.ts';
import { PurserNode } from '../../../../src/node.ts';
import {
  FORMAT_VERSION,
  readFormatText,
  writeFormat,
} from '../../../../src/persistence/folder/folder-format.ts';
import { openLog } from '../../../../src/persistence/journal/open-log.ts';
import type { MigrationStep } from '../../../../src/persistence/migration/migration-steps.ts';
import { BuyerClient } from '../../../support/buyer-client.ts';
import { OperatorClient, ok } from '../../../support/operator-client.ts';
import { filesBelow } from '../../crash/damage.ts';

export const OLD_VERSION = FORMAT_VERSION - 2;

const TURNED = { [OLD_VERSION]: ['stock.mdb', 'checkpoint.mdb'], [OLD_VERSION + 1]: ['checkpoint.mdb'] };

/** What a buyer has, to be asked for again. */
export interface Sold {
  readonly apiKey: string;
  readonly orderId: number;
  readonly items: readonly string[];
}

export const STEPS: readonly MigrationStep[] = [
  turning(OLD_VERSION, 'stock.mdb'),
  turning(OLD_VERSION + 1, 'checkpoint.mdb'),
];

/** Writes the file anew that was turned round until this version. */
function turning(from: number, file: string): MigrationStep {
  return {
    from,
    to: from + 1,
    does: `${file} is written anew`,
    replaces: (name) => name === file,
    room: (folder) => statSync(join(folder, file)).size,
    make: async (work) => {
      writeFileSync(join(work.to, file), turned(readFileSync(join(work.from, file))));
      return factsIn(work.from);
    },
  };
}

function turned(bytes: Buffer): Buffer {
  return bytes.map((byte) => byte ^ 0xff) as Buffer;
}

async function factsIn(folder: string): Promise<number> {
  const log = openLog(folder);
  try {
    return log.head.position;
  } finally {
    await log.close();
  }
}

/** Makes the folder: several segments, an order, a product's file. */
export async function makeOldFolder(folder: string): Promise<Sold> {
  const node = await startNode(folder);
  const operator = new OperatorClient(node.operatorUrl, node.operatorToken);
  const buyers = new BuyerClient(node.buyerUrl);
  const { accountId = 0 } = await ok(operator.createAccount({ name: 'buyer' }));
  const { apiKey = '' } = await ok(operator.issueKey(accountId));
  await ok(operator.credit(accountId, 100, 'start'));
  const product = { description: '', instructions: '', priceUsdt: 1 };
  const { productId = 0 } = await ok(
    operator.createProduct({ ...product, name: 'codes', type: 'standard', allowDuplicates: false }),
  );
  await ok(operator.addStock(productId, ['one', 'two', 'three']));
  const file = await ok(operator.createProduct({ ...product, name: 'film', type: 'file' }));
  await ok(operator.setFile(file.productId ?? 0, Buffer.from('a film'), 'text/plain'));
  const order = await buyers.purchase(apiKey, 'first', { productId, quantity: 2, expectedPriceUsdt: 2 });
  assert.equal(order.status, 201, order.text);
  for (let count = 0; count < 40; count += 1)
    await ok(operator.credit(accountId, 1, `a long reference ${count} `.padEnd(120, '.')));
  buyers.close();
  await node.stop();
  for (const name of TURNED[OLD_VERSION] ?? [])
    writeFileSync(join(folder, name), turned(readFileSync(join(folder, name))));
  writeFormat(folder, { version: OLD_VERSION });
  return { apiKey, orderId: order.body.orderId ?? 0, items: order.body.delivery?.items ?? [] };
}

/** With small segments, and the made-up steps. `log` gets its messages. */
export function startNode(folder: string, log?: (message: string) => void): Promise<PurserNode> {
  const write = (line: string) => log?.((JSON.parse(line) as { msg: string }).msg);
  return PurserNode.start({
    config: loadConfig({ data: folder, port: '0', operatorPort: '0', transport: 'node' }, {}, () => ''),
    log: pino({}, { write }),
    onFatal: (error) => assert.fail(error as Error),
    segmentBytes: 8 * 1024,
    migrationSteps: STEPS,
  });
}

/** Every file below it with its content's hash, but for LMDB's lock files, unfinished ones, and those of upgrades. */
export function contentOf(folder: string): ReadonlyMap<string, string> {
  const names = filesBelow(folder).filter((name) => !/-lock$|\.writing$|^(migrating|before-)/.test(name));
  const hash = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
  return new Map(names.map((name) => [name, hash(name)]));
}

/** What upgrades have made in it. */
export function madeIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => /^(migrating|before-)/.test(name));
}

export function formatIn(folder: string): string {
  return existsSync(join(folder, 'format')) ? readFormatText(folder).trim() : 'none';
}
