/**
 * `purser restore open`: sales open again, once it is decided what becomes of keys, operators, webhooks and products as
 * they were restored. A person at a terminal is asked for what the flags don't say; a script is refused by the node.
 */
import { Option } from 'commander';
import { RESTORED_KINDS, type RestoredKind } from '../../engine/recovery/restored-rights.ts';
import type { TakenKind } from '../../engine/taken-away.ts';
import { type ClientCommands, type ClientFlags, connect, type Render } from '../calls/client-commands.ts';
import { takenTable } from '../restore-taken.ts';
import { isJsonObject, type JsonObject } from '../terminal/answer-text.ts';
import { confirm } from '../terminal/confirmation.ts';
import { CommandFailure } from '../terminal/failure.ts';
import { answerTo, isAtTerminal } from '../terminal/question.ts';
import { printLines, type Terminal } from '../terminal/terminal.ts';

type Decision = 'keep' | 'end';
type Given = { readonly [Kind in RestoredKind | 'all']?: Decision | undefined };
type OpenFlags = ClientFlags & Given & { readonly yes?: boolean };

const WHAT = {
  keys: { rows: 'API keys', ending: 'deactivate' },
  operators: { rows: 'operators', ending: 'revoke' },
  webhooks: { rows: 'webhooks', ending: 'delete' },
  products: { rows: 'products on sale', ending: 'deactivate' },
} as const satisfies Record<RestoredKind, object>;

/** Kinds of things that later facts took away, shown beside the question that they concern. */
const BESIDE = {
  keys: ['keys', 'accounts'],
  operators: ['operators'],
  webhooks: ['webhooks'],
  products: ['products', 'lots', 'items', 'suppliers', 'priceLists', 'listPrices', 'accountPrices'],
} as const satisfies Record<RestoredKind, readonly TakenKind[]>;

/** `render` writes what GET /restore answers. */
export function addOpenCommand(commands: ClientCommands, terminal: Terminal, render: Render): void {
  const command = commands.command('open', 'open sales: what is not entered by now may be sold again');
  for (const kind of RESTORED_KINDS) {
    const { rows, ending } = WHAT[kind];
    command.addOption(
      decisionOption(`--${kind} <keep|end>`, `keep the ${rows} that were restored, or ${ending} them`),
    );
  }
  command
    .addOption(decisionOption('--all <keep|end>', 'those of these that are not named'))
    .option('--yes', 'do not ask')
    .action(async (flags: OpenFlags) => {
      const client = await connect(terminal, flags);
      const { keys, operators, webhooks, products, all } = flags;
      const given = { keys, operators, webhooks, products, all };
      const asked = isAtTerminal(terminal) && flags.yes !== true;
      const { body: status } = asked ? await client.call({ method: 'GET', path: '/restore' }) : { body: {} };
      const body = { ...given, ...(await askedFor(terminal, status, given)) };
      await confirm(
        terminal,
        'Open sales? What the gap sold and nobody has proved may be sold again.',
        flags,
      );
      const answer = await client.call({ method: 'POST', path: '/restore/open', body });
      commands.answerWith(command, answer, render);
    });
}

function decisionOption(flags: string, description: string): Option {
  return new Option(flags, description).choices(['keep', 'end']);
}

/**
 * The decisions asked for at the terminal. Kinds that nothing was restored of are kept. Nothing is asked when sales are
 * open.
 */
async function askedFor(
  terminal: Terminal,
  { undecided, takenAway }: JsonObject,
  given: Given,
): Promise<Given> {
  if (!isJsonObject(undecided) || given.all !== undefined) return {};
  const missing = RESTORED_KINDS.filter((kind) => given[kind] === undefined);
  if (missing.some((kind) => undecided[kind] !== 0)) printLines(terminal.stderr, WHY);
  const decisions: Record<string, Decision> = {};
  for (const kind of missing) {
    const count = Number(undecided[kind]);
    if (count > 0)
      printLines(
        terminal.stderr,
        BESIDE[kind].flatMap((beside) => takenTable(takenAway, beside)),
      );
    decisions[kind] = count === 0 ? 'keep' : await ask(terminal, kind, count);
  }
  return decisions;
}

const WHY = [
  'What was taken away behind the last fact that was restored is there again: replaced keys and tokens, revoked',
  'operators, deleted webhooks, deactivated products and old prices. "end" takes all of it away that the restore brought back.',
];

async function ask(terminal: Terminal, kind: RestoredKind, count: number): Promise<Decision> {
  const { rows, ending } = WHAT[kind];
  const question = `${count} ${rows} are as they were restored. Keep them, or end (${ending}) them? [keep/end] `;
  const answer = await answerTo(terminal, question);
  if (answer === 'keep' || answer === 'end') return answer;
  throw new CommandFailure('nothing was changed: answer keep or end');
}
