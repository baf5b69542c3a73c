/** The process of a drill that goes wrong, as its request's source says. */
import type { DrillRequest } from '../../../src/restore/drill/drill-messages.ts';

process.on('message', ({ source }: DrillRequest) => {
  if (source === 'dies') process.kill(process.pid, 'SIGKILL');
  if (source === 'exits') process.exit(3);
  // Otherwise it says nothing, for ever.
});
