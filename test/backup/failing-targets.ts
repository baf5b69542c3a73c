/**
 * Backups at targets that fail and lie, of processes that are killed at any moment, at random: what was said to be at the
 * target is there, and the next one that ends well has everything.
 */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { BackupError } from '../../src/backup/backup-error.ts';
import { randomFromEnvironment, roundsOr } from '../support/random.ts';
import { MemoryTarget, type TargetFailure } from '../support/servers/memory-target.ts';
import { BackupContents } from './backup-contents.ts';
import { backedUp, Process, retryingFor } from './backup-helpers.ts';
import { WrittenFolder } from './written-folder.ts';

export function proveAtFailingTargets(usual: number): void {
  const random = randomFromEnvironment();
  const rounds = roundsOr(usual);

  describe(`${rounds} rounds of backups at targets that fail (seed ${random.seed})`, () => {
    const folders: WrittenFolder[] = [];
    let folder: WrittenFolder;
    beforeEach(async () => {
      folder = await WrittenFolder.create('failing-targets');
      folders.push(folder);
      await folder.addStock(300);
      await folder.live(random, 8);
    });
    after(async () => {
      for (const each of folders) {
        await each.close();
        await each.remove();
      }
    });

    function atTimes(probability: number, failures: readonly TargetFailure[]) {
      return () => (random.chance(probability) ? random.pick(failures) : undefined);
    }

    async function contentsOf(objects: Map<string, Buffer>): Promise<BackupContents> {
      return await BackupContents.read(new MemoryTarget(objects), folder.ring.keys);
    }

    test('the continuous one, killed again and again, loses nothing that it said was there', async () => {
      const objects = new Map<string, Buffer>();
      for (let round = 0; round < 2 * rounds; round += 1) {
        const target = new MemoryTarget(objects);
        const failures = ['before', 'after', 'cut', 'wrong', 'lie', 'full', 'refused'] as const;
        const failing = atTimes(random.pick([0, 0.1, 0.3]), failures);
        const isClean = random.chance(0.2);
        // What is waited for must come: a clean end is taken back when a dozen calls go well in a row, so the target recovers.
        let left = isClean ? random.between(5, 30) : Number.POSITIVE_INFINITY;
        target.fault = () => {
          left -= 1;
          return left > 0 ? failing() : undefined;
        };
        const process = new Process(folder, target, { baseMs: random.pick([10, 60_000]) });
        await folder.live(random, random.between(1, 4));
        if (isClean) {
          await process.until(() => process.shipped > 0);
          left = Number.POSITIVE_INFINITY;
          await process.stop();
        } else {
          await delay(random.between(0, 80));
          await process.kill();
        }
        if (BackupError.is(process.failure, 'fenced')) throw process.failure;
        const contents = await contentsOf(objects);
        const { position } = contents.head;
        assert.ok(position >= process.shipped, `${position} of ${process.shipped}`);
        if (isClean) contents.expectAll(folder);
      }
      const last = new Process(folder, new MemoryTarget(objects));
      await last.until(() => last.shipped === folder.position);
      await last.stop();
      (await contentsOf(objects)).expectAll(folder);
    });

    test('a single one, whatever fails at times, is complete when it says so, also after one that was killed at any call', async () => {
      for (let round = 0; round < rounds; round += 1) {
        const objects = new Map<string, Buffer>();
        for (let attempts = 0; ; attempts += 1) {
          const target = new MemoryTarget(objects);
          const killed = new AbortController();
          let left = attempts > 4 ? Number.POSITIVE_INFINITY : random.between(1, 25);
          const failing = atTimes(random.pick([0, 0.05, 0.2]), ['before', 'after', 'cut', 'wrong', 'lie']);
          target.fault = () => {
            left -= 1;
            if (left > 0) return failing();
            killed.abort(new Error('killed'));
            return random.pick(['before', 'after', 'cut'] as const);
          };
          const isDone = await backedUp(folder, target, {
            retrying: retryingFor(60_000, killed.signal),
          }).then(
            () => true,
            () => false,
          );
          if (isDone) break;
        }
        (await contentsOf(objects)).expectAll(folder);
        if (random.chance(0.3)) await folder.live(random, 2);
      }
    });
  });
}
