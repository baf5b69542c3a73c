/**
 * A backup of a stopped folder, cut as a test wants it: chunks of random sizes, tries that failed, in both series, with
 * a manifest or without. Chunks hold what `FolderStream` gives.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chunkHash, chunkName, encodeChunk, type Series } from '../../../src/backup/chunk.ts';
import { ChunkBody, type ChunkEntry } from '../../../src/backup/chunk-entries.ts';
import { FolderStream } from '../../../src/backup/folder-stream.ts';
import { NamedContent } from '../../../src/backup/named-content.ts';
import { encodeRecord, recordKeyOf } from '../../../src/backup/record.ts';
import { QueueReader } from '../../../src/backup/shipping/queue-progress.ts';
import type { BackupTarget } from '../../../src/backup/target/backup-target.ts';
import {
  BACKUP_FORMAT,
  keysName,
  type Manifest,
  manifestName,
  positionJson,
  type Run,
  runName,
  type StoredObject,
} from '../../../src/backup/target-layout.ts';
import { GENESIS, type LogHead } from '../../../src/persistence/journal/frame-log.ts';
import { extentOf, frameHash } from '../../../src/persistence/journal/journal-frame.ts';
import { openLogReader } from '../../../src/persistence/journal/open-log.ts';
import { KeyRing } from '../../../src/persistence/keys/key-ring.ts';
import { RowCipher } from '../../../src/persistence/keys/row-cipher.ts';
import { WriteGate } from '../../../src/threads/write-gate.ts';
import type { Random } from '../../support/random.ts';

/** One entry, and where the journal is behind it. */
interface Streamed {
  readonly entry: ChunkEntry;
  readonly head: LogHead;
  readonly lastAtMs: number;
}

export interface BackupShape {
  readonly target: BackupTarget;
  readonly random: Random;
  /** How far `base` goes, as a part of the journal's facts; 0 for no `base`. */
  readonly base: number;
  /** Whether `log` goes on from somewhere before the end of `base`. */
  readonly hasLog: boolean;
  readonly hasManifest: boolean;
  readonly isCleanEnd?: boolean;
  /** Default: 1 to 60, by chance. */
  readonly entriesPerChunk?: number;
  /** How many runs there were, the last of which wrote it all; default: 1. */
  readonly runs?: number;
  readonly epoch?: number;
  readonly fork?: Run['fork'];
  /** Where the epoch's chunks begin; default: the first fact. */
  readonly from?: LogHead;
  /** Chunks of the epochs before, for the manifest. */
  readonly before?: readonly StoredObject[];
}

export interface Backup {
  readonly objects: readonly StoredObject[];
  readonly head: LogHead;
}

export function masterKeyIn(folder: string): string {
  return readFileSync(join(folder, 'master-key'), 'utf8').trim();
}

export async function backUpByHand(folder: string, shape: BackupShape): Promise<Backup> {
  const { target, random, epoch = 1, runs = 1, fork = null, from = GENESIS } = shape;
  const ring = KeyRing.read(folder, undefined);
  const stream = await streamed(folder, ring, from);
  const end = stream.at(-1)?.head ?? from;
  const keys = await put(target, keysName(epoch, 1), Buffer.from(ring.backupCopy()));
  const { shop } = ring;
  for (let run = 1; run <= runs; run += 1) {
    await putRecord(target, ring, { format: BACKUP_FORMAT, shop, epoch, run, fork, at: run, nonce: 'a' });
  }
  const write = (series: Series, part: readonly Streamed[], begin: LogHead) =>
    writeSeries({ ...shape, epoch }, ring, series, part, begin);
  const baseEnd = from.position + Math.floor((end.position - from.position) * shape.base);
  const split = shape.base === 0 ? 0 : indexBehind(stream, baseEnd);
  const ofBase = await write('base', stream.slice(0, split), from);
  const objects = [...(shape.before ?? []), ...ofBase.objects];
  if (shape.hasLog) {
    const begin = shape.base === 0 ? 0 : indexBehind(stream, random.between(from.position, baseEnd));
    await write('log', stream.slice(begin), stream[begin - 1]?.head ?? from);
  }
  if (shape.hasManifest) {
    const position = positionJson(ofBase.head);
    const manifest: Manifest = {
      format: BACKUP_FORMAT,
      shop,
      epoch,
      run: runs,
      position,
      lastAt: 1,
      at: 1,
      isCleanEnd: shape.isCleanEnd ?? false,
      keys,
      logThrough: 0,
      chunks: objects,
    };
    await putRecord(target, ring, manifest);
  }
  return { objects, head: end };
}

async function putRecord(target: BackupTarget, ring: KeyRing, record: Run | Manifest): Promise<void> {
  const name = 'chunks' in record ? manifestName(record) : runName(record);
  await put(target, name, encodeRecord(name, record, recordKeyOf(ring.keys.fingerprintKey)));
}

async function put(target: BackupTarget, name: string, bytes: Buffer): Promise<StoredObject> {
  if (!(await target.create(name, bytes))) throw new Error(`${name} is there already`);
  return { name, bytes: bytes.length, sha256: chunkHash(bytes) };
}

/** Behind the frame that has the fact at `position`. */
function indexBehind(stream: readonly Streamed[], position: number): number {
  const index = stream.findIndex(({ entry, head }) => entry.kind === 'frame' && head.position >= position);
  return position === 0 ? 0 : index + 1;
}

async function writeSeries(
  { target, random, epoch = 1, entriesPerChunk }: BackupShape,
  ring: KeyRing,
  series: Series,
  part: readonly Streamed[],
  begin: LogHead,
): Promise<Backup> {
  const cipher = new RowCipher(ring.keys);
  const objects: StoredObject[] = [];
  let from = begin;
  let previous = '';
  for (let at = 0; at < part.length; ) {
    const count = Math.min(entriesPerChunk ?? random.pick([1, 2, 3, 5, 10, 60]), part.length - at);
    const body = new ChunkBody();
    for (const { entry } of part.slice(at, at + count)) body.add(entry);
    const last = part[at + count - 1];
    const to = last?.head ?? from;
    const number = objects.length + 1;
    const head = {
      shop: ring.shop,
      epoch,
      series,
      number,
      previous,
      from,
      to,
      lastAtMs: last?.lastAtMs ?? 0,
    };
    const bytes = encodeChunk(head, body.view(), cipher);
    const failed = random.chance(0.1) ? random.between(1, 2) : 0;
    for (let attempt = 1; attempt <= failed; attempt += 1) {
      await put(target, chunkName(head, attempt), bytes.subarray(0, random.between(0, bytes.length - 1)));
    }
    objects.push(await put(target, chunkName(head, failed + 1), bytes));
    previous = chunkHash(bytes);
    from = to;
    at += count;
  }
  return { objects, head: from };
}

/** All of it; queues come at random places. */
async function streamed(folder: string, ring: KeyRing, from: LogHead): Promise<Streamed[]> {
  const log = openLogReader(folder);
  const content = new NamedContent(folder, ring.keys, new WriteGate());
  const queues = new QueueReader(folder, new WriteGate());
  const stream = new FolderStream(log, content, from, 0);
  const entries: Streamed[] = [];
  let head = from;
  for (const entry of stream.read()) {
    if (entry.kind === 'frame') {
      const frame = Buffer.from(entry.frame);
      head = { position: extentOf(frame).last, hash: frameHash(frame) };
      entries.push({ entry: { kind: 'frame', frame }, head, lastAtMs: stream.lastAtMs });
    } else entries.push({ entry, head, lastAtMs: stream.lastAtMs });
  }
  const progress = queues.all();
  entries.push({ entry: { kind: 'queues', queues: progress }, head, lastAtMs: stream.lastAtMs });
  stream.close();
  await Promise.all([log.close(), content.close(), queues.close()]);
  return entries;
}
