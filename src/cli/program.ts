/**
 * The `purser` command: finds the command, runs it, and turns whatever comes back into an exit code.
 *
 * Exit codes are 0 for success, 1 for a failure, 2 for a wrong command line or configuration. A failure is one line on
 * standard error, never a stack trace. `serve` logs its failure as JSON, like everything else, unless at a terminal.
 */
import { hostname } from 'node:os';
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config/config-error.ts';
import { PURSER_VERSION } from '../version.ts';
import { addAccountCommands } from './account.ts';
import { visible } from './answer-text.ts';
import { ClientCommands } from './client-commands.ts';
import { codeOf, ServerRefusal, UsageError } from './failure.ts';
import { addFeedCommand } from './feed.ts';
import { addItemCommands } from './item.ts';
import { addLotCommands } from './lot.ts';
import { addMoneyCommands } from './money.ts';
import { addOperatorCommands } from './operator.ts';
import { addOrderCommands } from './order.ts';
import { addProductCommands } from './product.ts';
import { addServeCommand } from './serve.ts';
import { addStockCommands } from './stock.ts';
import { addSupplierCommands } from './supplier.ts';
import { printLines, type Terminal } from './terminal.ts';
import { addVerifyCommand } from './verify.ts';
import { addWebhookCommands } from './webhook.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
/** The log's level. */
const FATAL = 60;
/** Time for a failed command to close its sockets and files. */
const LINGER_MS = 2_000;

/** Runs one command line (without node and script) and resolves with its exit code; never rejects. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await createProgram(terminal).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    const isMistaken = error instanceof UsageError || error instanceof ConfigError;
    const isLogged = args[0] === 'serve' && terminal.stderr.isTTY !== true && !isMistaken;
    printLines(terminal.stderr, [isLogged ? logLine(error) : failureLine(error)]);
    return isMistaken ? EXIT_USAGE : EXIT_FAILED;
  }
}

/** Runs the command line of this process. */
export async function main(): Promise<void> {
  // A reader that has seen enough (`purser product list | head`) is no reason for a stack trace.
  process.stdout.on('error', (error) => {
    if (codeOf(error) !== 'EPIPE') throw error;
  });
  const { env, stdin, stdout, stderr } = process;
  const exitCode = await run(process.argv.slice(2), { env, stdin, stdout, stderr });
  process.exitCode = exitCode;
  // A failed start must not live on because of a handle that it left open.
  if (exitCode !== 0) setTimeout(() => process.exit(), LINGER_MS).unref();
}

function createProgram(terminal: Terminal): Command {
  const program = new Command('purser')
    .description('Sells digital goods by API from a prepaid USDT wallet.')
    .version(PURSER_VERSION, '--version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    });
  addServeCommand(program, terminal);
  addVerifyCommand(program, terminal);
  new ClientCommands(program, terminal).read('status', 'show the state of the node', () => [
    'GET',
    '/status',
  ]);
  addAccountCommands(program, terminal);
  addProductCommands(program, terminal);
  addStockCommands(program, terminal);
  addLotCommands(program, terminal);
  addItemCommands(program, terminal);
  addOrderCommands(program, terminal);
  addSupplierCommands(program, terminal);
  addWebhookCommands(program, terminal);
  addFeedCommand(program, terminal);
  addOperatorCommands(program, terminal);
  addMoneyCommands(program, terminal);
  return program;
}

/** Written like a log line: the node's logger does not exist yet, or no longer. */
function logLine(error: unknown): string {
  const msg = `cannot start: ${failureText(error)}`;
  return JSON.stringify({
    level: FATAL,
    time: Date.now(),
    pid: process.pid,
    hostname: hostname(),
    name: 'purser',
    msg,
  });
}

function failureLine(error: unknown): string {
  if (error instanceof ServerRefusal) {
    return visible(`error ${error.code}: ${error.message} (requestId ${error.requestId})`);
  }
  return `error: ${failureText(error)}`;
}

function failureText(error: unknown): string {
  const message = error instanceof Error ? error.message || error.name : String(error);
  return visible(message.split('\n')[0] ?? '');
}
