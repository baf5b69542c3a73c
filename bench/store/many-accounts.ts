/** A checkpoint of many accounts, some of which have changed since, and how long a start takes to load its state. */
import type { Fact } from '../../src/engine/fact.ts';
import { loadState, openCheckpoint } from '../../src/persistence/checkpoint/checkpoint.ts';
import { Random } from '../../test/support/random.ts';
import { ownMebibytes } from '../measure/process-memory.ts';
import { textTable } from '../measure/text-table.ts';
import { LOOK_UP_HEADER, lookUps } from './look-ups.ts';
import { FILE_FACTS, MemoryFold } from './memory-fold.ts';

const AT_MS = 1_764_000_000_000;
const CREDIT_FOLDS = 20;
/** A fold changes one account in so many. */
const ACCOUNTS_PER_CREDIT = 25;
const LOADS = 4;

/** `folder` is empty, and has so many accounts afterwards, most of which were credited. */
export async function writeAccounts(folder: string, accounts: number): Promise<string> {
  const fold = new MemoryFold(folder);
  const profile = { name: 'buyer', rateLimitPerMinute: null, webhookConcurrency: 1 };
  for (let done = 0; done < accounts; done += FILE_FACTS) {
    const make = (index: number): Fact => ({
      kind: 'AccountCreated',
      accountId: 1 + done + index,
      profile,
      atMs: AT_MS,
    });
    fold.take(Math.min(FILE_FACTS, accounts - done), make);
  }
  const random = new Random(1);
  const balances = new Float64Array(accounts + 1);
  let credits = 0;
  const credit = (): Fact => {
    const accountId = random.between(1, accounts);
    const balanceAfterMicros = (balances[accountId] ?? 0) + 1;
    balances[accountId] = balanceAfterMicros;
    credits += 1;
    const row = { accountId, reference: `credit-${credits}`, amountMicros: 1, balanceAfterMicros };
    return { kind: 'WalletCredited', credit: row, atMs: AT_MS };
  };
  for (let done = 0; done < CREDIT_FOLDS; done += 1)
    fold.take(Math.ceil(accounts / ACCOUNTS_PER_CREDIT), credit);
  const each = (fold.foldMicros + fold.mergeMicros) / (accounts + credits);
  const { count } = fold.files;
  await fold.close();
  return `${accounts.toLocaleString('en')} accounts, ${credits.toLocaleString('en')} credits: folded and merged in ${each.toFixed(2)} µs of the processor each, ${count} files`;
}

/** `folder`: what `writeAccounts` made. */
export async function loadAccounts(folder: string, accounts: number): Promise<string> {
  const before = await ownMebibytes();
  const row = await lookUps('load the state', LOADS, () => {
    const store = openCheckpoint(folder);
    const found = loadState(store).accounts.nextId - 1;
    store.close();
    if (found !== accounts) throw new Error(`${found} accounts were loaded`);
  });
  const memory = `RssAnon ${before} MiB before, ${await ownMebibytes()} at the end`;
  return `${textTable(['accounts', ...LOOK_UP_HEADER.slice(1)], [row])}\n${memory}`;
}
