/**
 * A process of `exit-inside-transaction.test.ts` whose thread is inside a write transaction when something happens, named by the
 * argument: `ends` and `hangs`: the process exits, the transaction ends a moment later, or never; `heap`: the thread runs
 * out of heap.
 */
import { openLink } from '../../../threads/linked.ts';

const [how] = process.argv.slice(2);
const link = openLink({
  transactionPatienceMs: how === 'hangs' ? 200 : 60_000,
  onDeath: (error) => {
    console.log(`${error.message}: ${(error.cause as NodeJS.ErrnoException).code}`);
    process.exit(6);
  },
});
await link.start();
if (how === 'heap') await link.call('writeTooMuch', []).catch(() => {});
else {
  const state = new SharedArrayBuffer(4);
  link.tell('write', [state, how === 'hangs' ? 60_000 : 300]);
  while (Atomics.load(new Int32Array(state), 0) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  process.on('exit', () => console.log(`state ${Atomics.load(new Int32Array(state), 0)}`));
  process.exit(5);
}
