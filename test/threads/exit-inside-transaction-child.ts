/** A process of `worker-link.test.ts` that exits while its thread is inside a write transaction. Prints the thread's state. */
import { openLink } from './linked.ts';

const link = openLink();
await link.start();
const state = new SharedArrayBuffer(4);
link.tell('write', [state, 300]);
while (Atomics.load(new Int32Array(state), 0) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
process.on('exit', () => console.log(`state ${Atomics.load(new Int32Array(state), 0)}`));
process.exit(5);
