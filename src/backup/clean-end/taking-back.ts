/**
 * Before a clean end is taken back: is the target the one that has it, and has no other node gone on from there?
 *
 * A target that lacks what was there is not that one, however well it answers: a disk that isn't mounted leaves an
 * empty folder, and a bucket may be made anew. Such a target counts as away, and is asked again until it is right.
 */
import { hash } from 'node:crypto';
import type { Retrying } from '../retrying.ts';
import { expectNoOther, nextRun, type Runner, type RunPlace } from '../runs.ts';
import { TargetError } from '../target/backup-target.ts';
import type { CleanEndMark } from './clean-end-mark.ts';

/**
 * Resolves at once unless the mark is of this target, and when the operator removes it. Rejects with `fenced`, and as
 * `retrying` does.
 */
export async function expectCleanEnd(
  place: RunPlace,
  runner: Runner,
  mark: CleanEndMark,
  retrying: Retrying,
): Promise<void> {
  const { target } = place;
  await retrying.until(async (signal) => {
    const end = mark.read();
    if (end?.url !== target.url) return;
    // Who has gone on there may have removed what is old.
    await nextRun(place, runner, 0, signal);
    if (end.run !== undefined) await expectNoOther(place, end.run, end.began ?? [], signal);
    for (const { name, sha256 } of end.objects ?? []) {
      const bytes = await target.read(name, { signal });
      if (bytes !== undefined && hash('sha256', bytes) === sha256) continue;
      throw new TargetError(
        'invalid',
        `${target.url} does not have that clean end: ${name} is missing there, or is another one; is it mounted, and the right one?`,
      );
    }
  });
}
