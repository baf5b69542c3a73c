/** The process of a drill that goes wrong, as its request's source says. */
import { mkdirSync } from 'node:fs';
import type { DrillRequest } from '../../../../src/restore/drill/drill-messages.ts';

process.on('message', ({ source, folder }: DrillRequest) => {
  mkdirSync(folder, { recursive: true });
  if (source === 'dies') process.kill(process.pid, 'SIGKILL');
  // Otherwise it says nothing, for ever.
});
