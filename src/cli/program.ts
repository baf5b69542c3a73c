/**
 * The `purser` command: finds the command, runs it, and turns whatever comes back into an exit code.
 *
 * Exit codes are 0 for success, 1 for a failure, 2 for a wrong command line or configuration, 3 for a folder that
 * `verify` can't look at because a node has it. A failure is one line on standard error, never a stack trace; with
 * `--json`, the API's error body is on standard output as well. Output that nobody reads any more ends a command with 0,
 * output that can't be written with 1. `serve` logs its failure as JSON, like everything else, unless at a terminal.
 */
import { hostname } from 'node:os';
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config/config-error.ts';
import { withSecretFiles } from '../config/secret-files.ts';
import { variablesHelp } from '../config/variables.ts';
import { codeOf } from '../shared/error-code.ts';
import { PURSER_VERSION } from '../version.ts';
import { addAccountCommands } from './account.ts';
import { addBackupCommands } from './backup.ts';
import { addBotCommand } from './bot.ts';
import { ClientCommands } from './calls/client-commands.ts';
import { addClusterFolderCommands } from './cluster/cluster-folder.ts';
import { addClusterNodeCommands } from './cluster/cluster-nodes.ts';
import { addClusterTrimCommand } from './cluster/cluster-trim.ts';
import { addConsoleCommand } from './console.ts';
import { addDepositCommands } from './deposits/deposits.ts';
import { addDoctorCommand } from './doctor.ts';
import { addFeedCommand } from './feed.ts';
import { addMoneyCommands } from './money.ts';
import { addOperatorCommands } from './operator.ts';
import { addOrderCommands } from './order.ts';
import { addPriceCommands } from './prices/price.ts';
import { addPriceListCommands } from './prices/price-list.ts';
import { addProductCommands } from './product.ts';
import { addRekeyCommand } from './rekey.ts';
import { addRestoreCommand } from './restore/restore.ts';
import { addGapCommands } from './restore/restore-gap.ts';
import { addRestoreReceiptsCommand } from './restore/restore-receipts.ts';
import { addServeCommand } from './serve.ts';
import { addInstallServiceCommand } from './service/install-service.ts';
import { addSessionCommands } from './session.ts';
import { addItemCommands } from './stock/item.ts';
import { addLotCommands } from './stock/lot.ts';
import { addStockCommands } from './stock/stock.ts';
import { addSupplierCommands } from './supplier.ts';
import { CommandFailure, EXIT_FAILED, EXIT_USAGE, fileTrouble } from './terminal/failure.ts';
import { isWritten, printLines, type Terminal, visible } from './terminal/terminal.ts';
import { addVerifyCommand } from './verify.ts';
import { addWebhookCommands } from './webhook.ts';

/** The command whose output is the program's alone: it reads no secret. */
const WITHOUT_SECRETS = 'install-service';

/** The log's level. */
const FATAL = 60;
/** Time for a failed command to close its sockets and files. */
const LINGER_MS = 2_000;

/** Runs one command line (without node and script) and resolves with its exit code; never rejects. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  let isJson = false;
  try {
    const env = { ...terminal.env };
    const program = createProgram({ ...terminal, env });
    program.hook('preAction', (_program, command) => {
      isJson = command.opts().json === true;
      if (command.name() !== WITHOUT_SECRETS) Object.assign(env, withSecretFiles(env));
    });
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (isReaderGone(error)) return 0;
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    const failure = error instanceof CommandFailure ? error : undefined;
    const exitCode = error instanceof ConfigError ? EXIT_USAGE : (failure?.exitCode ?? EXIT_FAILED);
    if (isJson && failure?.refusal !== undefined) printLines(terminal.stdout, [failure.refusal.body]);
    const isLogged = args[0] === 'serve' && terminal.stderr.isTTY !== true && exitCode !== EXIT_USAGE;
    printLines(terminal.stderr, [isLogged ? logLine(error) : failureLine(error)]);
    return exitCode;
  }
}

/** Runs the command line of this process. */
export async function main(): Promise<void> {
  const { argv, env, stdin, stdout, stderr } = process;
  const args = argv.slice(2);
  let isOutputLost = false;
  stdout.on('error', (error) => {
    // A reader that has seen enough (`purser product list | head`) is no trouble.
    if (isReaderGone(error)) return;
    // A server whose ready line nobody can read must not seem to be one.
    if (args[0] === 'serve') throw error;
    if (!isOutputLost) printLines(stderr, [`error: cannot write the output: ${fileTrouble(error)}`]);
    isOutputLost = true;
    process.exitCode = EXIT_FAILED;
  });
  let isHeld = false;
  const onHeld = () => {
    isHeld = true;
  };
  const exitCode = await run(args, { env, stdin, stdout, stderr, onHeld });
  if (isHeld) {
    // An exit waits for the thread, for ever.
    await isWritten(stderr, '');
    process.kill(process.pid, 'SIGKILL');
  }
  process.exitCode = isOutputLost ? EXIT_FAILED : exitCode;
  // A failed start must not live on because of a handle that it left open.
  if (exitCode !== 0) setTimeout(() => process.exit(), LINGER_MS).unref();
}

/** The tree of all commands. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command('purser')
    .description('Sells digital goods by API from a prepaid USDT wallet.')
    .version(PURSER_VERSION, '--version', 'print the version')
    .addHelpText('after', variablesHelp(false))
    .exitOverride()
    // `purser restore` and `purser backup` have flags, and so have the commands below them: each takes those behind its own name.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    });
  addServeCommand(program, terminal);
  addVerifyCommand(program, terminal);
  addBackupCommands(program, terminal);
  const cluster = program.command('cluster').description('several nodes on one log in PostgreSQL');
  addClusterFolderCommands(cluster, terminal);
  addClusterNodeCommands(cluster, terminal);
  addClusterTrimCommand(cluster, terminal);
  addConsoleCommand(program, terminal);
  addDoctorCommand(program, terminal);
  addInstallServiceCommand(program, terminal);
  addRekeyCommand(program, terminal);
  const restore = addRestoreCommand(program, terminal);
  addGapCommands(restore, terminal);
  addRestoreReceiptsCommand(restore, terminal);
  new ClientCommands(program, terminal).read('status', 'show the state of the node', () => [
    'GET',
    '/status',
  ]);
  addAccountCommands(program, terminal);
  addProductCommands(program, terminal);
  addPriceListCommands(program, terminal);
  addPriceCommands(program, terminal);
  addDepositCommands(program, terminal);
  addBotCommand(program, terminal);
  addStockCommands(program, terminal);
  addLotCommands(program, terminal);
  addItemCommands(program, terminal);
  addOrderCommands(program, terminal);
  addSupplierCommands(program, terminal);
  addWebhookCommands(program, terminal);
  addFeedCommand(program, terminal);
  addOperatorCommands(program, terminal);
  addSessionCommands(program, terminal);
  addMoneyCommands(program, terminal);
  return program;
}

/** Whoever read the output has closed it. Only a write says so in this way: a broken connection is a `CommandFailure`. */
function isReaderGone(error: unknown): boolean {
  return codeOf(error) === 'EPIPE';
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
  if (error instanceof CommandFailure && error.refusal !== undefined) {
    const { code, requestId } = error.refusal;
    return visible(`error ${code}: ${error.message} (requestId ${requestId})`);
  }
  return `error: ${failureText(error)}`;
}

function failureText(error: unknown): string {
  const message = error instanceof Error ? error.message || error.name : String(error);
  return visible(message.split('\n')[0] ?? '');
}
