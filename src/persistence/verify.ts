/**
 * `purser verify`: reads a stopped data folder as it lies there and proves that it is one sound history.
 *
 * Verification replays the whole journal from its first fact, without the checkpoint, and then holds the checkpoint
 * against what came out: two ways to the same state that share only `apply`. No file in the folder is changed, made or
 * touched: the database opens links to them (`folder-view.ts`). While it reads, the folder is locked, where it may be
 * written to; that takes away the sockets that a killed node left.
 */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { apply } from '../engine/apply/apply.ts';
import { brokenInvariants } from '../engine/apply/invariants.ts';
import type { Fact, FactOf } from '../engine/fact.ts';
import { ledgerSumMicros } from '../engine/ledger.ts';
import { State } from '../engine/state.ts';
import { innerCodeOf } from '../shared/error-code.ts';
import { openCheckpoint } from './checkpoint/checkpoint.ts';
import { CheckpointCheck } from './checkpoint/checkpoint-check.ts';
import { DamagedDataError } from './codec/byte-reader.ts';
import { isOutOfSpace } from './disk/disk-room.ts';
import { unfinishedOf } from './disk/unfinished.ts';
import { FileCheck } from './files/file-check.ts';
import { checkFormat, dataFiles, STOCK_FILE } from './folder/data-folder.ts';
import { DataFolderError } from './folder/data-folder-error.ts';
import { checkFile, checkRuns } from './folder/folder-check.ts';
import { lockForReading } from './folder/folder-lock.ts';
import { inView } from './folder/folder-view.ts';
import { GENESIS, type LogHead } from './journal/frame-log.ts';
import { JournalReader } from './journal/journal-reader.ts';
import { openLog } from './journal/open-log.ts';
import type { DataKeys } from './keys/data-keys.ts';
import { KeyRing } from './keys/key-ring.ts';
import { KEY_RING_FILE } from './keys/ring-file.ts';
import { SecretCipher } from './keys/secret-cipher.ts';
import { OrderSteps } from './order-steps.ts';
import { readOrderTexts } from './stock/delivered/order-texts.ts';
import { ITEMS_PER_BLOCK } from './stock/file/stock-block.ts';
import { blockWith, openStockFile, type StockFile } from './stock/file/stock-file.ts';
import { RepeatedTexts } from './stock/repeated-texts.ts';
import { verifyOutbox } from './webhooks/outbox-check.ts';

/** Replayed rows are forgotten after this many facts: the node's whole history need not fit in memory. */
const FACTS_PER_GENERATION = 100_000;

type Print = (line: string) => void;

/** Codes of the system for a file that may be sound: they are about the asker, or the place. */
const UNSEEN = new Set([
  'EACCES',
  'EPERM',
  'EINVAL',
  'EMFILE',
  'ENFILE',
  'ENODEV',
  'ENOMEM',
  'ENOTSUP',
  'ESTALE',
]);

/** The result of the journal's facts. */
export interface Proved {
  readonly state: State;
  /** Where the journal ends. */
  readonly head: LogHead;
}

/**
 * Resolves with true when no error was found; else with false, after printing the error. The folder may be one that this
 * process can't write to. `also` goes on where the folder's files are sound; what it throws is an error found. Rejects
 * as `in-use` when a node has it, and as `unseen` when it can't be looked at: then nothing is known of the folder.
 */
export async function verifyDataFolder(
  folder: string,
  print: Print,
  masterKey?: string,
  {
    also = async () => {},
  }: { readonly also?: ((proved: Proved, view: string) => Promise<void>) | undefined } = {},
): Promise<boolean> {
  try {
    if (!existsSync(folder)) throw new DataFolderError(`there is no data folder ${folder}`);
    checkFormat(folder);
    const lock = await lockForReading(folder);
    try {
      await inView(folder, async (view) => also(await verifyFiles(folder, print, masterKey, view), view));
    } finally {
      await lock.release();
    }
    print('no errors found');
    return true;
  } catch (error) {
    if (DataFolderError.is(error, 'in-use')) throw error;
    if (isUnseen(error))
      throw new DataFolderError((error as Error).message, { reason: 'unseen', cause: error });
    print(`ERROR: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

function isUnseen(error: unknown): boolean {
  if (DataFolderError.is(error, 'lock', 'view')) return true;
  const code = innerCodeOf(error);
  return code !== undefined && UNSEEN.has(code);
}

/**
 * Verifies a folder whose lock the caller has, without looking at the format; `view`: the folder of links that the
 * database opens. Throws an error of one line at the first damage.
 */
export async function verifyFiles(
  folder: string,
  print: Print,
  givenKey: string | undefined,
  view = folder,
): Promise<Proved> {
  const { keys } = KeyRing.read(folder, givenKey);
  print(`${KEY_RING_FILE}: sound`);
  const repeated = new RepeatedTexts();
  for (const file of dataFiles(folder)) {
    const rows = checkFile(file, keys, repeated.add);
    print(`${basename(file)}: sound, ${rows} rows`);
  }
  // By the view, in which the database may be opened.
  for (const { name, table, rows } of await checkRuns(view, keys, repeated.add)) {
    print(`${name}: sound, ${rows} rows of ${table}`);
  }
  const files = new FileCheck(folder, print);
  const stock = openStockFile(join(view, STOCK_FILE), keys, { isReadOnly: true });
  try {
    let texts = 0;
    /** Texts of own stock that are kept with their order because their upload may be lost. */
    let recovered = 0;
    const onDelivery = async (fact: DeliveryFact) => {
      if (fact.kind === 'ProductFileSet') await files.add(fact);
      else if (fact.order.textCount > 0) {
        const count = readOrderTexts(stock, fact.order.orderId, fact.order.textCount).length;
        // Receipts complete an order only with items that were all found in own stock.
        const own = fact.kind === 'OrderDelivered' ? 0 : count;
        texts += count - own;
        recovered += own;
      }
    };
    const proved = await replay(view, { print, onDelivery });
    const items = verifyStock(stock, proved.state);
    const ofRecovered = recovered === 0 ? '' : `${recovered} kept with orders that receipts put back, `;
    print(
      `stock: ${items} items of own stock, ${texts} delivered by hand or by a supplier, ${ofRecovered}no text missing`,
    );
    print(repeated.report(stock, proved.state));
    print(verifySecrets(keys, proved.state));
    files.finish();
    print(await verifyOutbox(view));
    return proved;
  } finally {
    await stock.environment.close();
  }
}

/** A fact that says what must be on disk beside journal and checkpoint. */
type DeliveryFact = FactOf<'OrderDelivered' | 'OrderRecovered' | 'OrderAmended' | 'ProductFileSet'>;

function isDelivery(fact: Fact): fact is DeliveryFact {
  const { kind } = fact;
  if (kind === 'OrderAmended') return fact.delivers === true;
  return kind === 'OrderDelivered' || kind === 'OrderRecovered' || kind === 'ProductFileSet';
}

interface ReplayOptions {
  readonly print: Print;
  /** Gets the facts that say so. */
  readonly onDelivery: (fact: DeliveryFact) => Promise<void>;
}

async function replay(folder: string, { print, onDelivery }: ReplayOptions): Promise<Proved> {
  const checkpoint = openCheckpoint(folder);
  const { position, journalHash } = checkpoint.list;
  const log = openLog(folder);
  const state = new State();
  const check = new CheckpointCheck(checkpoint, unfinishedOf(join(folder, 'expected')), state);
  try {
    const journal = new JournalReader(log, GENESIS);
    const steps = new OrderSteps();
    let isCompared = position === 0;
    for (const { facts } of journal.read()) {
      for (const fact of facts) {
        apply(state, fact);
        steps.add(fact);
        if (isDelivery(fact)) await onDelivery(fact);
        if (state.position <= position) check.add(fact, state);
      }
      if (state.position === position) {
        if (journal.head.hash.toString('hex') !== journalHash)
          throw new DamagedDataError(
            `the checkpoint is of another journal than this one at fact ${position}`,
          );
        check.finish(state);
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
        `the checkpoint goes up to fact ${position}, but the journal ends at fact ${state.position}`,
      );
    }
    const broken = brokenInvariants(state);
    if (broken.length > 0) throw new DamagedDataError(broken.join('; '));
    print(`journal: ${state.position} facts in one chain, ${state.orderCount} orders, no item sold twice`);
    print(`checkpoint: agrees with the journal at fact ${position}`);
    print(`ledger: sums to ${ledgerSumMicros(state.ledger)} micro-USDT over ${state.accounts.size} accounts`);
    return { state, head: journal.head };
  } catch (error) {
    if (!isOutOfSpace(error)) throw error;
    throw new DataFolderError(
      `there is no room to fold the facts once more: make some in ${tmpdir()}, or name another place with TMPDIR`,
      { reason: 'view', cause: error },
    );
  } finally {
    check.close();
    await log.close();
    checkpoint.close();
  }
}

/**
 * One line about them. One that doesn't open is no damage: an operator who lost a master key goes on without it
 * (decision 11).
 */
function verifySecrets(keys: DataKeys, { accounts, suppliers }: State): string {
  const ofWebhooks = new SecretCipher(keys, 'webhook secret');
  const ofSuppliers = new SecretCipher(keys, 'supplier secret');
  const opened = [
    ...Array.from(accounts.values(), ({ accountId, webhook }) =>
      webhook === null ? [] : [ofWebhooks.open(webhook.sealedSecret, accountId)],
    ).flat(),
    ...Array.from(suppliers.values(), ({ profile }) => ofSuppliers.open(profile.sealedSecret)),
  ];
  const lost = opened.filter((secret) => secret === undefined).length;
  return `secrets: ${opened.length - lost} of webhooks and suppliers open, ${lost} don't`;
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
