/**
 * The place where a node goes on at a target: behind all that is there already, and is a part of this folder's history.
 *
 * Invariant: nothing is taken that was not proved. A manifest counts when its position is in our journal and all that
 * it names is listed with its size; a chunk counts when it opens, continues the one before, and ends in our journal. An
 * object of our own epoch that isn't in our journal is another node's: then this node is fenced. Objects of an epoch
 * before are passed over where they lie behind the fork.
 *
 * A target that has lost objects may have chunks of ours that continue nothing. They stay, and a series goes on behind
 * their numbers.
 */
import { GENESIS, type LogHead } from '../../persistence/journal/frame-log.ts';
import { BackupError, otherFacts } from '../backup-error.ts';
import { chained, type Try } from '../chained.ts';
import { behindChunk, parseChunkName, type Series, seriesPrefix } from '../chunk.ts';
import { isOf, listManifests } from '../manifests.ts';
import { storedObject } from '../proved-object.ts';
import { readRecord } from '../record.ts';
import { logHeadOf, MANIFESTS, type Manifest, PROGRESS, type StoredObject } from '../target-layout.ts';
import { NO_CHUNK, openedHead, type SeriesEnd, type Shipper } from './series-writer.ts';

/**
 * A chunk that doesn't open is read so often before it counts as damaged: stores err in answers, too. One that is taken
 * for damaged, and isn't, is written anew, and no reader finds what is new in it: the chunks behind it name the old one.
 */
const READS = 8;

/** A series, up to where it has come. */
export interface SeriesPlace {
  readonly end: SeriesEnd;
  readonly to: LogHead;
  /** The time of the last fact up to there, Unix milliseconds; 0 before the first one. */
  readonly lastAtMs: number;
}

export interface BasePlace extends SeriesPlace {
  /** All that makes the shop up to there. */
  readonly chunks: readonly StoredObject[];
  /** See `Manifest.logThrough`. */
  readonly logThrough: number;
}

export interface LogPlace {
  /** The last chunk that is there. */
  readonly end: SeriesEnd;
  /** Where it has come; undefined when chunks are missing between the base and this one, or there is none. */
  readonly place: SeriesPlace | undefined;
}

type Seeker = Pick<
  Shipper,
  'target' | 'shop' | 'epoch' | 'cipher' | 'recordKey' | 'onAltered' | 'hasInJournal'
>;

/** Rejects with `fenced` and `TargetError`. */
export async function findBase(seeker: Seeker, signal: AbortSignal): Promise<BasePlace> {
  const { epoch } = seeker;
  const manifest = await usableManifest(seeker, signal);
  const last = manifest?.chunks.findLast(({ name }) => parseChunkName(name)?.epoch === epoch);
  const end =
    last === undefined ? NO_CHUNK : { number: parseChunkName(last.name)?.number ?? 0, hash: last.sha256 };
  let place: BasePlace = {
    end,
    to: manifest === undefined ? GENESIS : logHeadOf(manifest.position),
    lastAtMs: manifest?.lastAt ?? 0,
    chunks: manifest?.chunks ?? [],
    logThrough: manifest?.epoch === epoch ? manifest.logThrough : 0,
  };
  const behind = await numbersBehind(seeker, 'base', end.number, signal);
  let taken = 0;
  for await (const { head, hash, object } of chained(triesOf(seeker, behind, signal), end.hash)) {
    taken += 1;
    place = {
      end: { number: head.number, hash },
      to: head.to,
      lastAtMs: head.lastAtMs,
      chunks: [...place.chunks, object],
      logThrough: place.logThrough,
    };
  }
  const left = behind.slice(taken, taken + 1);
  const [continuesNothing] = (await firstOf(triesOf(seeker, left, signal))) ?? [];
  if (continuesNothing === undefined) return place;
  return { ...place, end: { number: behind.at(-1)?.number ?? 0, hash: place.end.hash } };
}

/** `through`: a number that is known to be there. Rejects as `findBase` does. */
export async function findLog(seeker: Seeker, through: number, signal: AbortSignal): Promise<LogPlace> {
  const behind = await numbersBehind(seeker, 'log', Math.max(0, through - 1), signal);
  for (const [left, each] of behind.toReversed().entries()) {
    const [latest] = (await firstOf(triesOf(seeker, [each], signal))) ?? [];
    if (latest === undefined) continue;
    const { head, hash } = latest;
    const end = { number: head.number, hash };
    const first = behind[0]?.number ?? 0;
    const isWhole = first <= through + 1 && head.number - first === behind.length - 1 - left;
    return { end, place: isWhole ? { end, to: head.to, lastAtMs: head.lastAtMs } : undefined };
  }
  return { end: NO_CHUNK, place: undefined };
}

/** The newest that is ours and has all its chunks. */
async function usableManifest(seeker: Seeker, signal: AbortSignal): Promise<Manifest | undefined> {
  const { target, epoch, recordKey, onAltered, hasInJournal } = seeker;
  const names = await listManifests(target, [MANIFESTS, PROGRESS], signal);
  let listed: ReadonlyMap<string, number> | undefined;
  for (const { name } of names) {
    const manifest = await readRecord<Manifest>(name, recordKey, (each) => target.read(each, { signal }));
    if (manifest === undefined) {
      onAltered(name);
      continue;
    }
    if (manifest.epoch > epoch) {
      throw new BackupError(
        'fenced',
        `${target.url} has a backup of epoch ${manifest.epoch}, and this data folder is of epoch ${epoch}: a shop that was restored goes on elsewhere; give this node a target of its own`,
        `epoch ${manifest.epoch}`,
      );
    }
    if (!hasInJournal(logHeadOf(manifest.position))) {
      if (manifest.epoch === epoch) throw otherFacts(target, name);
      continue;
    }
    if (!isOf('base', manifest)) continue;
    listed ??= await sizesOf(seeker, signal);
    if (manifest.chunks.every((chunk) => listed?.get(chunk.name) === chunk.bytes)) return manifest;
  }
  return undefined;
}

/** Bytes of all chunks of `base`, by name: one for some megabytes of history. */
async function sizesOf({ target }: Seeker, signal: AbortSignal): Promise<Map<string, number>> {
  const sizes = new Map<string, number>();
  for await (const { name, sizeBytes } of target.list('base/', { signal })) sizes.set(name, sizeBytes);
  return sizes;
}

interface Numbered {
  readonly number: number;
  /** The latest attempt first. */
  readonly names: readonly string[];
}

/** The chunks behind `number`, ascending. */
async function numbersBehind(
  { target, epoch }: Seeker,
  series: Series,
  number: number,
  signal: AbortSignal,
): Promise<Numbered[]> {
  const byNumber = new Map<number, string[]>();
  const after = behindChunk({ series, epoch, number });
  for await (const { name } of target.list(seriesPrefix(series, epoch), { after, signal })) {
    const parsed = parseChunkName(name);
    if (parsed === undefined) continue;
    const names = byNumber.get(parsed.number);
    if (names === undefined) byNumber.set(parsed.number, [name]);
    else names.unshift(name);
  }
  return [...byNumber].sort(([a], [b]) => a - b).map(([each, names]) => ({ number: each, names }));
}

/** The tries of each chunk that open, the latest first. Rejects with `fenced` when one isn't our history. */
async function* triesOf(
  seeker: Seeker,
  numbers: readonly Numbered[],
  signal: AbortSignal,
): AsyncIterableIterator<(Try & { readonly object: StoredObject })[]> {
  for (const { names } of numbers) {
    const tries = [];
    for (const name of names) {
      const read = await readTry(seeker, name, signal);
      if (read === undefined) continue;
      if (!seeker.hasInJournal(read.head.to)) throw otherFacts(seeker.target, name);
      tries.push(read);
    }
    yield tries;
  }
}

/** Undefined when it opens at none of `READS` readings, or is gone. */
async function readTry(
  seeker: Seeker,
  name: string,
  signal: AbortSignal,
): Promise<(Try & { readonly object: StoredObject }) | undefined> {
  for (let reading = 0; reading < READS; reading += 1) {
    const bytes = await seeker.target.read(name, { signal });
    if (bytes === undefined && !(await isListed(seeker, name, signal))) return undefined;
    const head = bytes && openedHead(seeker, name, bytes);
    if (bytes === undefined || head === undefined) continue;
    const object = storedObject(name, bytes);
    return { head, hash: object.sha256, object };
  }
  return undefined;
}

/** Whether the target still says that it has it, whatever it said at a reading. */
async function isListed({ target }: Seeker, name: string, signal: AbortSignal): Promise<boolean> {
  for await (const listed of target.list(name, { signal })) if (listed.name === name) return true;
  return false;
}

async function firstOf<Value>(values: AsyncIterable<Value>): Promise<Value | undefined> {
  for await (const value of values) return value;
  return undefined;
}
