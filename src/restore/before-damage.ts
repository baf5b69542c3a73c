/**
 * The last fact before a missing or damaged chunk. Such a chunk stops a restore of all that lies behind it, on purpose;
 * everything up to that fact can be restored all the same.
 *
 * Invariant: a restore up to the fact that is named can be planned. Chunks before it are read when they are restored,
 * and may be damaged as well.
 */
import { behindChunk, parseChunkName, readChunkHead, seriesPrefix } from '../backup/chunk.ts';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import { type BackupSource, REMEDY } from './backup-source.ts';
import { RestoreError } from './restore-error.ts';
import { planRestore } from './restore-plan.ts';
import type { GivenKey } from './source-keys.ts';

type Chunk = NonNullable<ReturnType<typeof parseChunkName>>;

/** Damaged chunks, one before the other, that are looked behind. */
const MAX_DAMAGED = 8;
/** Objects that are looked at for one that has a head. */
const MAX_HEADS = 16;

/**
 * The error with a remedy that is possible: `command` makes the line to run, for a fact's number. For a chunk the fact
 * is the last before it, for a missing record the last that is there without it. Another error stays as it is. Never
 * rejects.
 */
export async function withWayOut(
  error: unknown,
  source: BackupSource,
  key: GivenKey,
  command: (seq: number) => string,
): Promise<unknown> {
  if (!(error instanceof RestoreError) || !error.message.includes(REMEDY)) return error;
  const isOfChunk = damagedIn(error) !== undefined;
  const seq = await (isOfChunk ? restorableBefore(error, source, key) : restorableWithout(source, key)).catch(
    () => undefined,
  );
  if (!isOfChunk && seq === undefined) return error;
  const instead =
    seq === undefined
      ? 'put that object back from another copy; nothing that lies before it can be restored'
      : `put that object back from another copy, or restore what ${isOfChunk ? 'lies before it' : 'is there without it'}: ${command(seq)}`;
  return new RestoreError(`${error.message.split(REMEDY)[0]}${instead}`, { cause: error });
}

function damagedIn({ message }: RestoreError): Chunk | undefined {
  return message.includes(REMEDY) ? parseChunkName(message.split(' ', 1)[0] ?? '') : undefined;
}

/** Undefined when there is none that is known. Rejects with `TargetError`. */
async function restorableBefore(
  error: RestoreError,
  source: BackupSource,
  key: GivenKey,
): Promise<number | undefined> {
  let damaged = damagedIn(error);
  for (let count = 0; damaged !== undefined && count < MAX_DAMAGED; count += 1) {
    const seq = await lastFactBefore(source, damaged);
    if (!seq) return undefined;
    try {
      await planRestore(source, key, { seq });
      return seq;
    } catch (next) {
      if (!(next instanceof RestoreError)) throw next;
      damaged = damagedIn(next);
    }
  }
  return undefined;
}

/** The last fact that can be restored without what proves that it was the last one. Rejects when there is none. */
async function restorableWithout(source: BackupSource, key: GivenKey): Promise<number> {
  const { position } = await planRestore(source, key, { atMs: Number.MAX_SAFE_INTEGER });
  return position.position;
}

/**
 * The last fact before a chunk, as the chunk before says; before the first one that `log` has left, that of the last
 * one of `base`.
 */
async function lastFactBefore(
  source: BackupSource,
  { series, epoch, number }: Chunk,
): Promise<number | undefined> {
  for (let before = number - 1; before > Math.max(0, number - MAX_HEADS); before -= 1) {
    const names = await lastNames(source, behindChunk({ series, epoch, number: before - 1 }));
    const seq = await endOfFirst(source, names);
    if (seq !== undefined) return seq;
  }
  if (series === 'base') return undefined;
  return endOfFirst(source, await lastNames(source, seriesPrefix('base', epoch)));
}

/** The last names of a list, the last one first. */
async function lastNames(source: BackupSource, prefix: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of source.list(prefix)) {
    names.unshift(name);
    if (names.length > MAX_HEADS) names.pop();
  }
  return names;
}

/** Where the first of these ends that has a head; nothing of it is proved. */
async function endOfFirst(source: BackupSource, names: readonly string[]): Promise<number | undefined> {
  for (const name of names) {
    try {
      return readChunkHead((await source.read(name)) ?? Buffer.alloc(0)).to.position;
    } catch (error) {
      if (!(error instanceof DamagedDataError)) throw error;
    }
  }
  return undefined;
}
