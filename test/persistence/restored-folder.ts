/** Makes a stopped folder what a restore leaves: the same facts, and the beginning of another epoch behind them. */
import { join } from 'node:path';
import type { Command } from '../../src/engine/decide/command.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import { epochBegun } from '../../src/engine/recovery/epoch-begun.ts';
import type { State } from '../../src/engine/state.ts';
import { STOCK_FILE } from '../../src/persistence/folder/data-folder.ts';
import { KeyRing } from '../../src/persistence/keys/key-ring.ts';
import { openStockStore } from '../../src/persistence/stock/stock-store.ts';
import { JournalFolder } from './journal/journal-folder.ts';

/** The journal parts where it ends; returns that position. */
export async function beginEpoch(path: string, epoch: number, isComplete = false): Promise<number> {
  const folder = await JournalFolder.open(path);
  const { position, hash } = folder.log.head;
  const begun = { epoch, hash: hash.toString('hex'), isComplete, nowMs: Date.now() };
  await folder.append([epochBegun(folder.engine.state, begun)]);
  await folder.close();
  return position;
}

/** Submits an operator's commands while the node is stopped; none may be refused. `texts` are of orders, by id. */
export async function repair(
  path: string,
  commandsOf: (state: State) => readonly Command[],
  texts: Readonly<Record<number, readonly string[]>> = {},
): Promise<void> {
  const { keys } = KeyRing.load({
    folder: path,
    fromEnvironment: undefined,
    isBegun: true,
    hasTexts: () => true,
  });
  const onFatal = (error: unknown): never => {
    throw error;
  };
  const stock = await openStockStore({ file: join(path, STOCK_FILE), keys, onFatal });
  for (const [orderId, ofOrder] of Object.entries(texts)) {
    await stock.orderTexts.write(Number(orderId), [...ofOrder]);
  }
  await stock.close();
  const folder = await JournalFolder.open(path);
  for (const command of commandsOf(folder.engine.state)) {
    const result = await new Promise((resolve) => folder.engine.submit(command, resolve));
    if (result instanceof Rejection) throw new Error(`${command.kind}: ${result.message}`);
  }
  await folder.close();
}
