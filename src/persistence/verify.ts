/**
 * `purser verify`: reads a stopped data folder as it lies there and proves that it is one sound history.
 *
 * It replays the whole journal from its first fact, without the checkpoint, and then holds the checkpoint
 * against what came out: two ways to the same state that share only `apply`. Nothing in the folder is changed.
 */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { apply } from '../engine/apply.ts';
import type { Fact } from '../engine/fact.ts';
import { brokenInvariants } from '../engine/invariants.ts';
import { KeyFilter, keyHash } from '../engine/key-filter.ts';
import { refOfOrder, refOfRefusal } from '../engine/key-ref.ts';
import { ledgerSumMicros } from '../engine/ledger.ts';
import { NO_KEY, type PurchaseRequest } from '../engine/orders.ts';
import { State } from '../engine/state.ts';
import { CheckpointHistory } from './checkpoint/checkpoint-history.ts';
import { loadState, openCheckpoint } from './checkpoint/checkpoint-tables.ts';
import { auditKeys, KeySum } from './checkpoint/key-audit.ts';
import { RowAudit } from './checkpoint/row-audit.ts';
import { DamagedDataError } from './codec/byte-reader.ts';
import { loadMasterKey, requireMasterKey } from './disk/master-key.ts';
import { FileCheck } from './files/file-check.ts';
import { checkFormat, DataFolderError, dataFiles, STOCK_FILE } from './folder/data-folder.ts';
import { checkFile } from './folder/folder-check.ts';
import { lockFolder } from './folder/folder-lock.ts';
import { GENESIS } from './journal/frame-log.ts';
import { JournalReader } from './journal/journal-reader.ts';
import { openLog } from './journal/open-log.ts';
import { OrderCheck } from './order-check.ts';
import { OrderSteps } from './order-steps.ts';
import { canonicalTables } from './state-tables.ts';
import { readOrderTexts } from './stock/delivered/order-texts.ts';
import { ITEMS_PER_BLOCK } from './stock/file/stock-block.ts';
import { blockWith, openStockFile, type StockFile } from './stock/file/stock-file.ts';
import { verifyOutbox } from './webhooks/outbox-check.ts';

/** Replayed rows are forgotten after this many facts: the node's whole history need not fit in memory. */
const FACTS_PER_GENERATION = 100_000;

type Print = (line: string) => void;

/** Resolves with true when no error was found; else with false, after printing the error. */
export async function verifyDataFolder(folder: string, print: Print, masterKey?: string): Promise<boolean> {
  try {
    if (!existsSync(folder)) throw new DataFolderError(`there is no data folder ${folder}`);
    checkFormat(folder);
    const lock = await lockFolder(folder);
    try {
      await verifyLocked(folder, print, masterKey);
    } finally {
      await lock.release();
    }
    print('no errors found');
    return true;
  } catch (error) {
    print(`ERROR: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

async function verifyLocked(folder: string, print: Print, givenKey: string | undefined): Promise<void> {
  requireMasterKey(folder, givenKey);
  const masterKey = loadMasterKey(folder, givenKey);
  const filter = new KeyFilter();
  for (const file of dataFiles(folder)) {
    const rows = checkFile(file, masterKey, filter);
    print(`${basename(file)}: sound, ${rows} rows`);
  }
  const files = new FileCheck(folder, print);
  const stock = openStockFile(join(folder, STOCK_FILE), masterKey);
  try {
    const texts = new TextCheck(stock);
    const state = await replay(folder, filter, { texts, files }, print);
    const items = verifyStock(stock, state);
    print(`stock: ${items} items and ${texts.count} of single orders, each with its text`);
    files.finish();
    print(await verifyOutbox(folder));
  } finally {
    await stock.environment.close();
  }
}

/** Every order that was completed with texts must have them. */
class TextCheck {
  readonly #stock: StockFile;
  count = 0;

  constructor(stock: StockFile) {
    this.#stock = stock;
  }

  add(fact: Fact): void {
    if (fact.kind !== 'OrderDelivered' || fact.order.textCount === 0) return;
    readOrderTexts(this.#stock, fact.order.orderId, fact.order.textCount);
    this.count += fact.order.textCount;
  }
}

/** What facts deliver, and what must therefore be on disk. */
interface DeliveryChecks {
  readonly texts: TextCheck;
  readonly files: FileCheck;
}

async function replay(
  folder: string,
  filter: KeyFilter,
  { texts, files }: DeliveryChecks,
  print: Print,
): Promise<State> {
  const tables = openCheckpoint(folder);
  const log = openLog(folder);
  const journal = new JournalReader(log, GENESIS);
  try {
    const checkpoint = loadState(tables);
    const history = new CheckpointHistory(tables);
    const state = new State();
    const checks = {
      history,
      filter,
      keys: new KeySum(),
      orders: new OrderCheck(),
      rows: new RowAudit(),
    };
    const steps = new OrderSteps();
    let isCompared = checkpoint.head.position === 0;
    for (const frame of journal.read()) {
      for (const fact of frame.facts) {
        apply(state, fact);
        steps.add(fact);
        texts.add(fact);
        files.add(fact);
        if (state.position <= checkpoint.head.position) verifyFact(checks, fact, state.position);
      }
      if (state.position === checkpoint.head.position) {
        checks.orders.finish();
        compareCheckpoint(state, checkpoint.state);
        isCompared = true;
      }
      if (state.recentOutcomes >= FACTS_PER_GENERATION) {
        state.cut();
        state.dropOlder();
      }
    }
    journal.expectEnd(log.head);
    if (!isCompared) {
      throw new DamagedDataError(
        `the checkpoint goes up to fact ${checkpoint.head.position}, and the journal ends at ${state.position}`,
      );
    }
    checks.rows.finish(tables, checkpoint.state);
    if (!checks.keys.equals(auditKeys(tables, (ref) => history.outcome(ref)))) {
      throw new DamagedDataError("the checkpoint's keys are not those of the journal");
    }
    failIfBroken(brokenInvariants(state));
    print(`journal: ${state.position} facts in one chain, ${state.lastOrderId} orders, no item twice`);
    print(`checkpoint: agrees with the journal at fact ${checkpoint.head.position}`);
    print(`ledger: sums to ${ledgerSumMicros(state.ledger)} micro-USDT over ${state.accounts.size} accounts`);
    return state;
  } finally {
    await journal.close();
    await tables.environment.close();
  }
}

function compareCheckpoint(replayed: State, checkpoint: State): void {
  const expected = canonicalTables(replayed);
  const found = canonicalTables(checkpoint);
  for (const [index, row] of expected.entries()) {
    if (row !== found[index]) {
      throw new DamagedDataError(`the checkpoint has ${found[index]}, and the journal gives ${row}`);
    }
  }
  if (found.length > expected.length) {
    throw new DamagedDataError(`the checkpoint has ${found[expected.length]}, and the journal doesn't`);
  }
}

interface Checks {
  readonly history: CheckpointHistory;
  readonly filter: KeyFilter;
  readonly keys: KeySum;
  readonly orders: OrderCheck;
  readonly rows: RowAudit;
}

/** The checkpoint must have each key, credit and order as the journal has it. */
function verifyFact(checks: Checks, fact: Fact, position: number): void {
  const { history, orders, rows } = checks;
  rows.add(fact);
  if ('order' in fact) {
    const { order } = fact;
    const isPurchase = fact.kind === 'OrderPlaced' || fact.kind === 'HoldCaptured';
    if (isPurchase && order.idempotencyKey !== NO_KEY) verifyKey(checks, order, refOfOrder(order.orderId));
    orders.add(order, history.order(order.orderId));
  } else if ('refusal' in fact && fact.refusal !== null) {
    const { refusal } = fact;
    verifyKey(checks, refusal, refOfRefusal(position));
    expectSame(`the refusal of key ${refusal.idempotencyKey}`, refusal, history.refusal(position));
  } else if (fact.kind === 'WalletCredited') {
    const { credit } = fact;
    const found = history.creditOutcome(credit.accountId, credit.reference);
    expectSame(`credit ${credit.reference} of account ${credit.accountId}`, credit, found);
  }
}

function verifyKey(
  { filter, keys }: Checks,
  { accountId, idempotencyKey }: PurchaseRequest,
  ref: number,
): void {
  const hash = keyHash(accountId, idempotencyKey);
  if (!filter.mayHave(hash)) {
    throw new DamagedDataError(`key ${idempotencyKey} of account ${accountId} would be taken for a new one`);
  }
  keys.add(hash, ref);
}

function expectSame(subject: string, expected: object, found: object | undefined): void {
  if (isDeepStrictEqual(expected, found)) return;
  throw new DamagedDataError(`${subject} is not in the checkpoint as the journal has it`);
}

/** Every item that was ever for sale must have its text. Says how many there are. */
function verifyStock(stock: StockFile, state: State): number {
  let items = 0;
  for (const [productId, { end }] of state.stock.entries()) {
    for (let first = 0; first < end; first += ITEMS_PER_BLOCK) {
      const expected = Math.min(ITEMS_PER_BLOCK, end - first);
      blockWith(stock, productId, first + expected - 1, expected);
    }
    items += end;
  }
  return items;
}

function failIfBroken(broken: readonly string[]): void {
  if (broken.length > 0) throw new DamagedDataError(broken.join('; '));
}
