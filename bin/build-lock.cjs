'use strict';
/*
 * A lock between processes that may build at the same time: a folder, because creating one either succeeds or
 * tells that it was there, with its owner's process id inside.
 *
 * A lock left by a killed build is taken over when its owner is gone, or when it is so old that the id must
 * belong to somebody else. Losing that judgement costs one needless build, never a wrong answer, which is why a
 * folder and a process id are enough here and would not be for the data folder.
 */
const fs = require('node:fs');
const path = require('node:path');
const { say } = require('./say.cjs');

const OWNERLESS_AFTER_MS = 5_000;
const STALE_AFTER_MS = 600_000;
const POLL_MS = 100;

/** Runs `work` while no other process runs its own under the same lock; waits for its turn. */
function withBuildLock(lock, work) {
  let announced = false;
  while (!tryAcquire(lock)) {
    if (isStale(lock)) {
      takeAway(lock);
      continue;
    }
    if (!announced) say('waiting for another build to finish…', 30);
    announced = true;
    sleep(POLL_MS);
  }
  try {
    work();
  } finally {
    fs.rmSync(lock, { recursive: true, force: true });
  }
}

function tryAcquire(lock) {
  try {
    fs.mkdirSync(lock);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  fs.writeFileSync(path.join(lock, 'owner'), String(process.pid));
  return true;
}

function isStale(lock) {
  const stat = fs.statSync(lock, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  const ageMs = Date.now() - stat.mtimeMs;
  const owner = readOwner(lock);
  if (owner === undefined) return ageMs > OWNERLESS_AFTER_MS;
  // In a container the killed build may well have had the id that this process has now.
  return owner === process.pid || ageMs > STALE_AFTER_MS || !isRunning(owner);
}

function readOwner(lock) {
  try {
    const text = fs.readFileSync(path.join(lock, 'owner'), 'utf8');
    return /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

/** Moves a stale lock aside before removing it, so that of several waiters only one takes it away. */
function takeAway(lock) {
  const aside = `${lock}.stale-${process.pid}`;
  try {
    fs.renameSync(lock, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (isStale(aside)) {
    fs.rmSync(aside, { recursive: true, force: true });
    return;
  }
  // Another waiter was quicker and this is its fresh lock: give it back unless a third already has its own.
  try {
    fs.renameSync(aside, lock);
  } catch {
    fs.rmSync(aside, { recursive: true, force: true });
  }
}

function sleep(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

module.exports = { withBuildLock };
