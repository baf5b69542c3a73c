/**
 * An account's movements: the same as in a plain list, whatever ends a fold, over rows that fill up in between, and with
 * a new fold that goes on where another ended.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MONEY_KINDS, walletChangeMicros } from '../../../src/engine/money-change.ts';
import {
  AccountMovements,
  allMovements,
  lastMovementBefore,
  movementsBehind,
} from '../../../src/persistence/checkpoint/account-movements.ts';
import { MOVEMENT_COLUMNS, type Movement } from '../../../src/persistence/checkpoint/movement-row.ts';
import { randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { JournalFolder } from '../journal-folder.ts';

const ACCOUNTS = 3;
const FACTS = 4_000;
const START_MS = 1_700_000_000_000;

test('each account has its movements, once and in order', async (context) => {
  const random = randomFromEnvironment();
  context.diagnostic(`seed ${random.seed}`);
  const temporary = await createTemporaryFolder('account-movements');
  const folder = await JournalFolder.open(temporary.path);
  context.after(async () => {
    await folder.close();
    await temporary.remove();
  });
  const table = folder.tables.movements;
  const expected = Array.from({ length: ACCOUNTS + 1 }, (): Omit<Movement, 'reference'>[] => []);
  let movements = new AccountMovements(table);
  let rows: number[][] = expected.map(() => []);
  const fold = () => {
    folder.tables.environment.transactionSync(() => {
      for (const [accountId, values] of rows.entries()) {
        if (values.length === 0) continue;
        movements.add(accountId, Float64Array.from(values), 0, values.length, new Map());
      }
      movements.flush();
    });
    rows = expected.map(() => []);
    if (random.chance(0.5)) movements = new AccountMovements(table);
  };

  let atMs = START_MS;
  for (let seq = 1; seq <= FACTS; seq += 1) {
    atMs += random.between(0, 2);
    const accountId = random.between(1, ACCOUNTS);
    // Captures are common, and no movements: they must leave no trace, above all as the last fact of a fold.
    const kind = random.chance(0.4) ? 'capture' : random.pick(MONEY_KINDS);
    const amountMicros = random.between(1, 1e9) * (kind === 'adjustment' ? -1 : 1);
    const orderId = random.between(1, 1e6);
    rows[accountId]?.push(seq, atMs, MONEY_KINDS.indexOf(kind), amountMicros, orderId);
    assert.equal((rows[accountId]?.length ?? 0) % MOVEMENT_COLUMNS, 0);
    const changeMicros = walletChangeMicros({ kind, amountMicros });
    const balanceMicros = (expected[accountId]?.at(-1)?.balanceMicros ?? 0) + changeMicros;
    if (kind !== 'capture')
      expected[accountId]?.push({ seq, atMs, kind, changeMicros, balanceMicros, orderId });
    if (random.chance(0.1)) fold();
  }
  fold();

  for (let accountId = 1; accountId <= ACCOUNTS; accountId += 1) {
    const all = expected[accountId] ?? [];
    const withReference = all.map((movement) => ({ ...movement, reference: '' }));
    assert.deepEqual(
      Array.from(movementsBehind(table, accountId, { atMs: 0, seq: 0 }, Number.MAX_SAFE_INTEGER)),
      withReference,
    );
    for (let round = 0; round < 50; round += 1) {
      const toMs = random.between(START_MS - 1, atMs + 1);
      const { seq = 0, balanceMicros = 0 } = all.findLast((movement) => movement.atMs < toMs) ?? {};
      const last = lastMovementBefore(table, accountId, toMs);
      assert.deepEqual([last.seq, last.balanceMicros], [seq, balanceMicros]);
      const behind = random.pick(withReference);
      assert.deepEqual(
        Array.from(movementsBehind(table, accountId, behind, toMs)),
        withReference.filter((movement) => movement.seq > behind.seq && movement.atMs < toMs),
      );
    }
  }
  assert.equal(Array.from(allMovements(table)).length, expected.flat().length);
});
