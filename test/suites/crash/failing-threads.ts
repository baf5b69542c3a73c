/**
 * Loaded into a node before its program (`--import`): the system has no thread to give for programs whose path contains
 * FAILING_THREAD, the first time.
 */
import { syncBuiltinESMExports } from 'node:module';
import threads, { Worker, type WorkerOptions } from 'node:worker_threads';

const { FAILING_THREAD = '' } = process.env;
let hasFailed = false;

threads.Worker = class extends Worker {
  constructor(program: string | URL, options: WorkerOptions) {
    if (!hasFailed && String(program).includes(FAILING_THREAD)) {
      hasFailed = true;
      const error = new Error('Worker initialization failure: EAGAIN');
      throw Object.assign(error, { code: 'ERR_WORKER_INIT_FAILED' });
    }
    super(program, options);
  }
};
syncBuiltinESMExports();
