/** `purser statement`, `purser report` and `purser audit`: what money and operators did in a period. */
import { type Command, Option } from 'commander';
import { id } from './argument.ts';
import { addPage, ClientCommands, type PageFlags } from './calls/client-commands.ts';
import { addCsv, type CsvFlags } from './calls/csv-flags.ts';
import { addMonth, addPeriod, addTimeZone, type MonthFlags, monthQuery } from './period.ts';
import { fieldLines, type JsonObject, rowsOf, tableLines } from './terminal/answer-text.ts';
import type { Terminal } from './terminal/terminal.ts';

const MOVEMENTS = 'seq at kind amountUsdt balanceUsdt orderId reference operator reason'.split(' ');
const SUMS = ['depositsUsdt', 'salesUsdt', 'refundsUsdt', 'heldUsdt', 'walletsUsdt'];
const ROWS_OF = { day: 'day', product: 'productId', account: 'accountId' } as const;
const ENTRIES = 'seq at operator action accountId productId orderId about reason requestId'.split(' ');
/**
 * The fields of an audit entry that go into its column `about`: all that it is about beside account, product and order.
 */
const ABOUT = 'targetOperator lotId supplierId supplierPurchaseId eventId orderIds'.split(' ');
const MAX_SHOWN_IDS = 5;
const MAX_SHOWN_TEXT = 40;

interface StatementFlags extends MonthFlags, PageFlags, CsvFlags {}

interface ReportFlags extends MonthFlags, PageFlags {
  readonly by: keyof typeof ROWS_OF;
}

interface AuditFlags extends MonthFlags, PageFlags {
  readonly who?: string;
  readonly account?: number;
}

export function addMoneyCommands(program: Command, terminal: Terminal): void {
  const commands = new ClientCommands(program, terminal);
  const statement = commands.read(
    'statement <account>',
    "what moved an account's money",
    (accountId: number, { cursor, limit, excel, ...period }: StatementFlags) =>
      pathOf(`/accounts/${accountId}/statement`, { ...monthQuery(period), cursor, limit, excel }),
    statementLines,
  );
  const report = commands.read(
    'report',
    'what came in, was sold, refunded and is on hold',
    ({ by, cursor, limit, ...period }: ReportFlags) =>
      pathOf('/reports/money', { ...monthQuery(period), by, cursor, limit }),
    reportLines,
  );
  report.addOption(
    new Option('--by <WHAT>', 'a row for each of these').choices(Object.keys(ROWS_OF)).default('day'),
  );
  const audit = commands.read(
    'audit',
    'what operators did, newest first',
    ({ who, account, cursor, limit, ...period }: AuditFlags) =>
      pathOf('/audit', { ...monthQuery(period), operator: who, accountId: account, cursor, limit }),
    (body) => tableLines(rowsOf(body, 'entries').map(withAbout), ENTRIES),
  );
  audit
    .option('--who <NAME>', 'only what the operator of this name did')
    .option('--account <ID>', 'only what concerns this account', id);
  for (const command of [addCsv(addTimeZone(statement)), addTimeZone(report), audit]) addPages(command);
}

function withAbout(entry: JsonObject): JsonObject {
  const about = ABOUT.filter((field) => field in entry).map((field) => `${field} ${aboutText(entry[field])}`);
  for (const { field, from, to } of rowsOf(entry, 'changes')) {
    about.push(`${field} ${changeText(from)} → ${changeText(to)}`);
  }
  return about.length === 0 ? entry : { ...entry, about: about.join(', ') };
}

/** Long texts are cut: the answer as JSON has them. */
function changeText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > MAX_SHOWN_TEXT ? `${text.slice(0, MAX_SHOWN_TEXT)}…` : text;
}

/** A search may have found hundreds of orders. */
function aboutText(value: unknown): string {
  if (!Array.isArray(value)) return String(value);
  const more = value.length - MAX_SHOWN_IDS;
  return value.slice(0, MAX_SHOWN_IDS).join(' ') + (more > 0 ? ` and ${more} more` : '');
}

function addPages(command: Command): Command {
  return addPage(addMonth(addPeriod(command)));
}

function pathOf(path: string, fields: Readonly<Record<string, unknown>>): ['GET', string] {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given.map(([field, value]): [string, string] => [field, String(value)]));
  return ['GET', query.size === 0 ? path : `${path}?${query}`];
}

function statementLines(body: JsonObject): string[] {
  const { openingUsdt, closingUsdt, timeZone, position } = body;
  return [
    ...tableLines(rowsOf(body, 'movements'), MOVEMENTS),
    '',
    ...fieldLines({ openingUsdt, closingUsdt, timeZone, position }),
  ];
}

function reportLines(body: JsonObject): string[] {
  const rows = rowsOf(body, 'rows');
  const name = Object.values(ROWS_OF).find((field) => rows[0] !== undefined && field in rows[0]) ?? 'day';
  const total = Object.fromEntries(['timeZone', ...SUMS].map((field) => [field, body[field]]));
  return [...tableLines(rows, [name, ...SUMS]), '', ...fieldLines(total)];
}
