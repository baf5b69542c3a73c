import type { Command } from 'commander';
import { ClientCommands, table } from '../calls/client-commands.ts';
import { fieldLines, type JsonObject, rowsOf, tableLines } from '../terminal/answer-text.ts';
import { confirm } from '../terminal/confirmation.ts';
import type { Terminal } from '../terminal/terminal.ts';

const LOT_COLUMNS = 'lotId at added available sold withdrawn source costUsdt reference recalledAt'.split(' ');
const SOLD_COLUMNS = ['orderId', 'accountId', 'at'];

export function addLotCommands(program: Command, terminal: Terminal): void {
  const parent = program.command('lot').description('uploads of items: where they are from, and recalls');
  const lot = new ClientCommands(parent, terminal);
  lot.list('list <product>', 'list the lots of a product, the newest first, a page at a time', {
    path: '/products/{id}/lots',
    render: table('lots', LOT_COLUMNS),
    hasPeriod: true,
    maxRows: 250,
  });
  lot.read('show <lot>', 'show one lot, and what became of its items', (lotId: number) => [
    'GET',
    `/lots/${lotId}`,
  ]);
  lot.list('sold <lot>', 'list the orders that have items of a lot, a page at a time', {
    path: '/lots/{id}/sold',
    render: table('sold', SOLD_COLUMNS),
    hasPeriod: true,
    maxRows: 500,
  });
  lot
    .call(
      'recall <lot>',
      'take what is unsold off sale for good, and list what was sold',
      async (lotId: number, flags: { readonly yes?: boolean }) => {
        await confirm(terminal, `Recall lot ${lotId}? Its items can never be uploaded again.`, flags);
        return ['POST', `/lots/${lotId}/recall`, {}];
      },
      recallLines,
      ({ lotId, nextCursor }) =>
        nextCursor === undefined
          ? undefined
          : `More were sold: see \`purser lot sold ${lotId} --cursor ${nextCursor}\``,
    )
    .option('--yes', 'do not ask');
}

function recallLines(body: JsonObject): string[] {
  const { sold: _sold, nextCursor: _nextCursor, ...lot } = body;
  return [...fieldLines(lot), '', 'sold:', ...tableLines(rowsOf(body, 'sold'), SOLD_COLUMNS)];
}
