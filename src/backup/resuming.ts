/**
 * Where a node goes on at a target: what is there already, and is a part of this folder's history.
 *
 * What always holds: nothing is taken that was not proved. A manifest counts when its position is in our journal and all
 * that it names is listed with its size; a chunk counts when it opens, continues the one before, and ends in our journal.
 * Of our own epoch, what is there and isn't in our journal is another's: then this node is fenced. Of an epoch before,
 * what lies behind the fork is passed over.
 */
import { GENESIS, type LogHead } from '../persistence/journal/frame-log.ts';
import { behindChunk, type ChunkHead, parseChunkName, type Series, seriesPrefix } from './chunk.ts';
import { anotherShop, FencedError, otherFacts } from './fenced-error.ts';
import { isOf, listManifests, readManifest } from './manifests.ts';
import { storedObject } from './proved-object.ts';
import { NO_CHUNK, openedHead, type SeriesEnd, type Shipper } from './series-writer.ts';
import { logHeadOf, MANIFESTS, type Manifest, PROGRESS, type StoredObject } from './target-layout.ts';

/** A series, up to where it has come. */
export interface SeriesPlace {
  readonly end: SeriesEnd;
  readonly to: LogHead;
  /** Of the last fact up to there, Unix milliseconds; 0 before the first one. */
  readonly lastAtMs: number;
}

export interface BasePlace extends SeriesPlace {
  /** All that makes the shop up to there. */
  readonly chunks: readonly StoredObject[];
  /** See `Manifest.logThrough`. */
  readonly logThrough: number;
}

type Seeker = Pick<Shipper, 'target' | 'shop' | 'epoch' | 'cipher' | 'hasInJournal'>;

/** Rejects with `FencedError` and `TargetError`. */
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
  for (const names of await attemptsBehind(seeker, 'base', end.number, signal)) {
    const found = await firstThatOpens(seeker, names, signal, place.end.hash);
    if (found === undefined) break;
    const { head, object } = found;
    if (!seeker.hasInJournal(head.to)) throw otherFacts(seeker.target, object.name);
    place = {
      end: { number: head.number, hash: object.sha256 },
      to: head.to,
      lastAtMs: head.lastAtMs,
      chunks: [...place.chunks, object],
      logThrough: place.logThrough,
    };
  }
  return place;
}

/** Undefined when this epoch has none. `through`: a number that is known to be there. Rejects as `findBase` does. */
export async function findLog(
  seeker: Seeker,
  through: number,
  signal: AbortSignal,
): Promise<SeriesPlace | undefined> {
  const behind = await attemptsBehind(seeker, 'log', Math.max(0, through - 1), signal);
  for (const names of behind.reverse()) {
    const found = await firstThatOpens(seeker, names, signal);
    if (found === undefined) continue;
    const { head, object } = found;
    if (!seeker.hasInJournal(head.to)) throw otherFacts(seeker.target, object.name);
    return { end: { number: head.number, hash: object.sha256 }, to: head.to, lastAtMs: head.lastAtMs };
  }
  return undefined;
}

/** The newest that is ours and has all its chunks. */
async function usableManifest(seeker: Seeker, signal: AbortSignal): Promise<Manifest | undefined> {
  const { target, shop, epoch, hasInJournal } = seeker;
  const names = await listManifests(target, [MANIFESTS, PROGRESS], signal);
  let listed: ReadonlyMap<string, number> | undefined;
  for (const { name } of names) {
    const manifest = await readManifest(target, name, signal);
    if (manifest === undefined) continue;
    if (manifest.shop !== shop) throw anotherShop(target);
    if (manifest.epoch > epoch) {
      throw new FencedError(
        `${target.url} has a backup of epoch ${manifest.epoch}, and this data folder is of epoch ${epoch}: a shop that was restored goes on elsewhere; give this node a target of its own`,
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

/** The names of each chunk behind `number`, ascending; of one chunk the latest attempt first. */
async function attemptsBehind(
  { target, epoch }: Seeker,
  series: Series,
  number: number,
  signal: AbortSignal,
): Promise<string[][]> {
  const byNumber = new Map<number, string[]>();
  const after = behindChunk({ series, epoch, number });
  for await (const { name } of target.list(seriesPrefix(series, epoch), { after, signal })) {
    const parsed = parseChunkName(name);
    if (parsed === undefined) continue;
    const names = byNumber.get(parsed.number);
    if (names === undefined) byNumber.set(parsed.number, [name]);
    else names.unshift(name);
  }
  return [...byNumber].sort(([a], [b]) => a - b).map(([, names]) => names);
}

async function firstThatOpens(
  seeker: Seeker,
  names: readonly string[],
  signal: AbortSignal,
  previous?: string,
): Promise<{ readonly head: ChunkHead; readonly object: StoredObject } | undefined> {
  for (const name of names) {
    const bytes = await seeker.target.read(name, { signal });
    const head = bytes && openedHead(seeker, name, bytes);
    if (bytes === undefined || head === undefined) continue;
    if (previous === undefined || head.previous === previous)
      return { head, object: storedObject(name, bytes) };
  }
  return undefined;
}
