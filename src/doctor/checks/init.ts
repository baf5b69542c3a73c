/**
 * Whether the node can be ended. The kernel keeps the first process of a container from every signal that it has no
 * handler for: from its own `kill -9`, with which a node ends when its disk hangs, and from a stop amid its start.
 */

import type { CheckedMachine } from '../checked-machine.ts';
import { type Finding, ok, warning } from '../finding.ts';

const FIRST = 1;

export function init({ holderPid }: CheckedMachine): Finding {
  // Without a node: one that is started as this command was.
  return judgePid(holderPid ?? process.pid);
}

/** As the process itself sees it. */
export function judgePid(pid: number): Finding {
  if (pid !== FIRST) return ok(`the node is process ${pid}, which can end itself`);
  return warning(
    'the node is the first process of its container, and cannot end itself when its disk hangs: start it below an init, as by docker run --init',
  );
}
