/** A few of the questions on the command line, whose answers are the API's. */
import assert from 'node:assert/strict';
import { runCommand, startCommand } from '../../../support/purser-command.ts';
import { isIn, OCTOBER, queryOf } from '../calendar.ts';
import { enterDeed, type Month } from '../month.ts';
import type { Operator } from '../staff.ts';
import { firstFitting } from './rows.ts';

/** Of a long month: a command's output is kept up to a bound. */
const DAY = { from: '2026-10-01', to: '2026-10-02' } as const;
const DAY_FLAGS = ['--from', DAY.from, '--until', DAY.to] as const;

export async function statementAsCsv(month: Month): Promise<void> {
  const { shop, ledger } = month;
  const account = [...ledger.accounts].sort((a, b) => a.movements.length - b.movements.length)[0];
  assert.ok(account);
  const { accountId } = account;
  const period = month.isLong ? DAY : OCTOBER;
  const flags = month.isLong ? DAY_FLAGS : ['--month', '2026-10'];
  const path = `/accounts/${accountId}/statement?${queryOf(period)}`;
  const { text } = await shop.ask('dora', 'GET', path, undefined, { accept: 'text/csv' });
  const printed = await print(month, 'dora', ['statement', String(accountId), ...flags, '--csv']);
  assert.equal(printed, text.slice(-printed.length));
}

export async function reportOfTheMonth(month: Month): Promise<void> {
  const path = `/reports/money?${queryOf(OCTOBER)}&by=day`;
  const { requestId: _, ...report } = await month.shop.tell('carla', 'GET', path);
  const printed = await print(month, 'carla', ['report', '--month', '2026-10', '--by', 'day', '--json']);
  const { requestId: __, ...told } = JSON.parse(printed) as { requestId?: string };
  assert.deepEqual(told, report);
}

export async function ordersOfAnAccount(month: Month): Promise<void> {
  const { ledger } = month;
  const [account] = ledger.accounts;
  assert.ok(account);
  const failed = account.orders.filter(
    ({ status, shift }) =>
      (status === 'failed' || status === 'processing') && (!month.isLong || isIn(DAY, shift)),
  );
  const flags = ['--account-id', String(account.accountId), '--status', 'failed', '--json'];
  const days = month.isLong ? DAY_FLAGS : [];
  const printed = await print(month, 'dora', ['order', 'list', ...flags, ...days]);
  for (const { orderId, status } of failed) {
    assert.equal(printed.includes(`"orderId":${orderId},`), status === 'failed', `order ${orderId}`);
  }
}

/** The text comes from standard input, and is in no shell's history. */
export async function whoGotThisCode(month: Month): Promise<void> {
  const { ledger } = month;
  const [text = '', known] = firstFitting(ledger.texts, ([, { order }]) => order !== undefined) ?? [];
  assert.ok(known?.order);
  const printed = await print(month, 'anna', ['item', 'find', '--json'], `${text}\n`);
  assert.ok(printed.includes(`"orderId":${known.order.orderId}`), printed);
  assert.ok(!printed.includes(text));
  // Whether the command says why, and with which request id, is its own affair.
  enterDeed(month, { operator: 'anna' }, 'ItemsSearched', {});
}

async function print(
  { shop }: Month,
  operator: Operator,
  words: readonly string[],
  input?: string,
): Promise<string> {
  const args = [...words, '--operator', shop.operatorUrl, '--token', shop.tokenOf(operator)];
  if (input === undefined) {
    const { code, stdout, stderr } = await runCommand(args);
    assert.deepEqual([code, stderr], [0, ''], `purser ${words.join(' ')}`);
    return compact(stdout);
  }
  const { child, ended } = startCommand(args);
  child.stdin.end(input);
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 0, `purser ${words.join(' ')}: ${stderr}`);
  return compact(stdout);
}

/** JSON without spaces; anything else as it is. */
function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
