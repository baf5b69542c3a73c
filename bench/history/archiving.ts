/** Has a node archive all that it may, and waits for the end. */
import { setTimeout as delay } from 'node:timers/promises';
import { OperatorClient, ok } from '../../test/support/operator-client.ts';
import type { RunningNode } from '../running-node.ts';

const LOOK_MS = 500;

interface ArchiveRow {
  readonly state: string;
  readonly facts: number;
  readonly error?: string;
}

/** `target` is a folder that is made when it isn't there. Resolves with how many facts left the data folder. */
export async function archiveAll(node: RunningNode, target: string): Promise<number> {
  const operator = new OperatorClient(node.operatorUrl, node.operatorToken);
  const before = new Date().toISOString();
  await ok(operator.json('POST', '/archives', { before, target }));
  for (;;) {
    const { archives } = (await ok(operator.json('GET', '/archives'))) as unknown as {
      readonly archives: readonly ArchiveRow[];
    };
    const [archive] = archives;
    if (archive?.state === 'complete') return archive.facts;
    if (archive?.state === 'failed') throw new Error(`the archive failed: ${archive.error}`);
    await delay(LOOK_MS);
  }
}
