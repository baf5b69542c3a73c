/** What the commands that call the operator API have in common: their options, and call-and-print. */
import type { Command } from 'commander';
import { fieldLines, type JsonObject } from './answer-text.ts';
import type { Answer, OperatorCall, OperatorClient } from './operator-client.ts';
import { findOperator, type TargetFlags } from './operator-target.ts';
import { printLines, type Terminal } from './terminal.ts';

export interface ClientFlags extends TargetFlags {
  readonly json?: boolean;
}

/** How an answer is written for a person. */
export type Render = (body: JsonObject) => readonly string[];

/** Adds a command with the options that say which node it is for. */
export function clientCommand(parent: Command, nameAndArguments: string, description: string): Command {
  return parent
    .command(nameAndArguments)
    .description(description)
    .option('--operator <URL>', 'operator API (env: PURSER_OPERATOR_URL)')
    .option('--token <TOKEN>', 'operator token (env: PURSER_OPERATOR_TOKEN)')
    .option('--data <DIR>', 'data folder of a node on this machine (env: PURSER_DATA, default: ./data)')
    .option('--json', "print the API's answer as it is");
}

export async function connect(terminal: Terminal, flags: TargetFlags): Promise<OperatorClient> {
  const target = findOperator(flags, terminal.env);
  // Loaded only now: a server that starts, and `purser verify`, must not wait for an HTTP client.
  const { OperatorClient } = await import('./operator-client.ts');
  return new OperatorClient(target);
}

export async function callAndPrint(
  terminal: Terminal,
  flags: ClientFlags,
  call: OperatorCall,
  render: Render = fieldLines,
): Promise<void> {
  const client = await connect(terminal, flags);
  printAnswer(terminal, flags, await client.call(call), render);
}

export function printAnswer(
  terminal: Terminal,
  flags: ClientFlags,
  answer: Answer,
  render: Render = fieldLines,
): void {
  printLines(terminal.stdout, flags.json === true ? [answer.text.trimEnd()] : render(answer.body));
}
