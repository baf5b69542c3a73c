'use strict';
/*
 * Loaded before the tests of a run of all (`test/run.ts`): takes away the hook by which node's test runner learns to
 * which test each promise belongs. With it every promise of a process takes several times as long, and a third of what
 * a test's process does is that.
 *
 * Invariant: an error that nobody catches fails its process all the same, and its stack is printed. The runner
 * only can't say whose it was, and doesn't break that test off; a file that is run by itself has the hook, and tells.
 * Suites and tests still find their parents: the runner's own resources are reported to it as before.
 *
 * Where a newer node's runner works otherwise, this changes nothing.
 */
const hooks = require('node:async_hooks');
const { isMainThread } = require('node:worker_threads');

// Neither threads nor forked processes have tests.
const place = process.execArgv.indexOf(__filename);
if (place > 0) process.execArgv.splice(place - 1, 2);
if (isMainThread) spareHook();

function spareHook() {
  const { createHook, AsyncResource } = hooks;
  let noteTest;

  hooks.createHook = (callbacks) => {
    const isRunners = /internal\/test_runner\//.test(new Error().stack);
    if (!isRunners || noteTest !== undefined || callbacks.init === undefined) return createHook(callbacks);
    noteTest = callbacks.init;
    const none = { enable: () => none, disable: () => none };
    return none;
  };

  hooks.AsyncResource = class extends AsyncResource {
    constructor(type, options) {
      super(type, options);
      if (type === 'Test') noteTest?.(this.asyncId(), type, this.triggerAsyncId(), this);
    }
  };

  process.on('uncaughtExceptionMonitor', (error) => console.error('nobody caught:', error));
  process.on('unhandledRejection', (error) => {
    // Without the runner's own listener this one must not be what keeps the process alive.
    if (process.listenerCount('unhandledRejection') === 1) throw error;
    console.error('nobody caught:', error);
  });
}
