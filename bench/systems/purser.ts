/** Purser itself, as an operator starts it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../test/support/repository-root.ts';
import type { StartNode } from './running-node.ts';
import type { System } from './system.ts';

export function purserSystem(transport: 'uws' | 'node', startNode: StartNode): System {
  return {
    name: 'purser',
    durable: true,
    missing: async () => undefined,
    version: async () => `Purser ${versionOfPurser()}`,
    configuration: {
      durability: 'every answer leaves after its group of facts is written and synced',
      transport: transport === 'uws' ? 'uWebSockets.js' : 'node:http',
      processes: 'one; a thread writes the log, others webhooks, texts and checkpoints',
    },
    maxProcesses: 1,
    start: ({ folder }) => startNode(folder),
  };
}

function versionOfPurser(): string {
  const text = readFileSync(join(repositoryRoot(), 'package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
