/**
 * Loaded into a node before its program (`--import`): the threads whose program's path contains FAILING_THREAD can't be
 * had. With FAILING_HOW=system the system has no thread to give, with FAILING_HOW=heap the thread's heap is too small to
 * start with. How often: FAILING_TIMES, then they can be had again.
 */
import { syncBuiltinESMExports } from 'node:module';
import threads, { Worker, type WorkerOptions } from 'node:worker_threads';

const { FAILING_THREAD = '', FAILING_HOW = '', FAILING_TIMES = '1' } = process.env;
let left = Number(FAILING_TIMES);

threads.Worker = class extends Worker {
  constructor(program: string | URL, options: WorkerOptions) {
    const fails = left > 0 && String(program).includes(FAILING_THREAD);
    if (fails) left -= 1;
    if (fails && FAILING_HOW === 'system') {
      const error = new Error('Worker initialization failure: EAGAIN');
      throw Object.assign(error, { code: 'ERR_WORKER_INIT_FAILED' });
    }
    super(program, fails ? { ...options, resourceLimits: { maxOldGenerationSizeMb: 1 } } : options);
  }
};
syncBuiltinESMExports();
