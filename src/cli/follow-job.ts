/**
 * Follows a job of a running node, such as a drill or a backup, to its outcome, which is printed, and is that of the command.
 * A command that is broken off ends; its job goes on in the node.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientFlags, connect, type Render } from './calls/client-commands.ts';
import type { OperatorCall } from './calls/operator-client.ts';
import { fieldLines, type JsonObject } from './terminal/answer-text.ts';
import { CommandFailure } from './terminal/failure.ts';
import { GoingOn } from './terminal/going-on.ts';
import { printLines, type Terminal } from './terminal/terminal.ts';

const LOOK_MS = 300;

/** The state of a job: what it does, or what came of it. Undefined when the node has started again, and knows nothing of it. */
type Seen =
  | { readonly does: unknown }
  | { readonly outcome: JsonObject; readonly error?: unknown }
  | undefined;

export interface FollowedJob {
  /** As in `the drill failed`. */
  readonly name: string;
  /** Begins it, or joins the one that is under way. */
  readonly begin: OperatorCall;
  /** Asks how it is; default: `begin` once more, whose first answer says it as well. */
  readonly look?: OperatorCall;
  /** `body` is an answer of `look`. */
  readonly see: (body: JsonObject, begun: JsonObject) => Seen;
  readonly render?: Render;
}

export async function followJob(terminal: Terminal, flags: ClientFlags, job: FollowedJob): Promise<void> {
  const { name, begin, look, see, render = fieldLines } = job;
  const client = await connect(terminal, flags);
  const begun = await client.call(begin);
  const goingOn = new GoingOn(terminal, name);
  let seen: Seen;
  for (let answer = look && (await client.call(look)); ; answer = await client.call(look ?? begin)) {
    seen = see((answer ?? begun).body, begun.body);
    if (seen === undefined || 'outcome' in seen) break;
    goingOn.now(String(seen.does));
    await delay(LOOK_MS);
  }
  if (seen === undefined)
    throw new CommandFailure(`the node was stopped before ${name} had ended: call it again`);
  const { outcome, error } = seen;
  printLines(terminal.stdout, flags.json === true ? [JSON.stringify(outcome)] : render(outcome));
  if (error !== undefined) throw new CommandFailure(`${name} failed: ${String(error)}`);
}
