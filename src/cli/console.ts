/**
 * `purser console`: an address that opens the console in a browser, signed in as whoever's token the command has. The code
 * is in the fragment, which a browser sends to nobody; the token goes nowhere but to the node.
 */
import type { Command } from 'commander';
import { ClientCommands, type ClientFlags, printAnswer } from './calls/client-commands.ts';
import { findOperator } from './calls/operator-target.ts';
import { CommandFailure } from './terminal/failure.ts';
import { printLines, type Terminal } from './terminal/terminal.ts';

const API_PATH = /\/operator\/v1$/;
/** Where a node listens that does so everywhere; a browser needs one of these addresses. */
const HERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' };

export function addConsoleCommand(program: Command, terminal: Terminal): void {
  const command = new ClientCommands(program, terminal).readingCommand(
    'console',
    'print an address that opens the console, once and within a minute',
  );
  command.action(async (flags: ClientFlags) => {
    const target = findOperator(flags, terminal.env);
    const { OperatorClient } = await import('./calls/operator-client.ts');
    const answer = await new OperatorClient(target).call({
      method: 'POST',
      path: '/console-codes',
      body: {},
    });
    const { code } = answer.body;
    if (typeof code !== 'string') throw new CommandFailure(`${target.url} gave no code`);
    printAnswer(terminal, flags, answer, () => [
      `${consoleUrl(target.url)}#code=${encodeURIComponent(code)}`,
    ]);
    printLines(terminal.stderr, ['Open it in a browser within a minute: it works once.']);
  });
}

/** The console's URL on the node with this operator API, which a proxy may serve under a prefix. */
export function consoleUrl(operatorUrl: string): string {
  const url = new URL(operatorUrl);
  url.hostname = HERE[url.hostname] ?? url.hostname;
  url.pathname = API_PATH.test(url.pathname) ? url.pathname.replace(API_PATH, '/console') : '/console';
  return url.href;
}
