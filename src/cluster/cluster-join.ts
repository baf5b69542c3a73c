/**
 * `purser cluster join`: makes the folder of one more node, from the base that lies beside the log. Entries behind the
 * base are read when the node starts.
 *
 * The folder is made beside its name, proved as `purser verify` does, and then gets its name. Meanwhile a row for the node
 * keeps the entries behind the base from being trimmed.
 */
import { createHash, randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Fact } from '../engine/fact.ts';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import { writeDurably } from '../persistence/disk/durable-file.ts';
import { FilesFolder } from '../persistence/files/files-folder.ts';
import type { SharedFiles } from '../persistence/files/shared-files.ts';
import { beginFolder } from '../persistence/folder/data-folder.ts';
import { FORMAT_VERSION } from '../persistence/folder/folder-format.ts';
import { FolderLoad } from '../persistence/folder/folder-load.ts';
import { expectEmpty, type Maker, WorkPlace } from '../persistence/folder/work-place.ts';
import { GENESIS } from '../persistence/journal/frame-log.ts';
import { JournalReader } from '../persistence/journal/journal-reader.ts';
import { openLogReader } from '../persistence/journal/open-log.ts';
import { keyFileOf, type MasterKey, writeKeyFile } from '../persistence/keys/master-key.ts';
import { KEY_RING_FILE } from '../persistence/keys/ring-file.ts';
import { openRingText } from '../persistence/keys/ring-text.ts';
import { DamagedFileError } from '../persistence/lmdb/damaged-file.ts';
import { verifyFiles } from '../persistence/verify.ts';
import { persist } from './base/base-writer.ts';
import { ClusterError } from './cluster-error.ts';
import { writeClusterFile } from './cluster-file.ts';
import type { Base, ClusterRow } from './postgres/cluster-rows.ts';
import type { PostgresCluster } from './postgres/postgres-cluster.ts';

/** A name is taken while its node was there within so many seconds. */
const TAKEN_S = 60;
/** The version in the row of a node that is joining. */
const JOINING = 'joining';
const TRIMMED = 'the log was trimmed meanwhile: join again';
const MAKER: Maker = {
  mark: '.joining-',
  verb: 'join',
  error: (message, options) => new ClusterError(message, 'refused', options),
};

/** The shop's master key, as it was given. */
export interface JoinKey {
  readonly masterKey: MasterKey;
  /** As messages name it. */
  readonly origin: string;
  /** 32 bytes in base64. */
  readonly text: string;
  /** The value of PURSER_MASTER_KEY, when the key is from there; the folder then has no key file. */
  readonly fromEnvironment: string | undefined;
}

export interface JoinOptions {
  readonly folder: string;
  readonly key: JoinKey;
  readonly cluster: PostgresCluster;
  readonly node: string;
  /** The buyers' origin. */
  readonly url: string;
  readonly version: string;
  /** Where the cluster has its products' files. */
  readonly files: Pick<SharedFiles, 'fetch'>;
  readonly onProgress?: ((part: number, parts: number) => void) | undefined;
  readonly print?: ((line: string) => void) | undefined;
}

export interface Joined {
  readonly log: string;
  readonly entry: number;
  readonly fact: number;
}

/** Rejects with `ClusterError` and `KeyError`, and with what the disk throws; then there is no folder. */
export async function joinCluster(options: JoinOptions): Promise<Joined> {
  const { folder, cluster, node, url, version } = options;
  expectEmpty(resolve(folder), MAKER);
  const row = await clusterToJoin(cluster);
  await requireFreeName(cluster, node);
  const joining = `${JOINING} ${randomBytes(8).toString('hex')}`;
  await persist(() => cluster.setNode({ node, url, version: joining, applied: row.entry }, FORMAT_VERSION));
  const place = await WorkPlace.open(folder, MAKER);
  try {
    await make(place.path, row, options);
    const ends = await persist(() => cluster.ends());
    if (ends === undefined || ends.first > row.entry) throw new ClusterError(TRIMMED);
    const own = { node, url, version, applied: row.entry };
    if (!(await persist(() => cluster.setNode(own, FORMAT_VERSION, joining)))) {
      throw new ClusterError(`another node joins as ${node}: choose another --node`);
    }
    await place.settle();
  } catch (error) {
    await place.discard();
    if (!(error instanceof DamagedDataError || error instanceof DamagedFileError)) throw error;
    throw new ClusterError(
      `the base in the log makes no sound folder: ${error.message}; trim the log, and join again`,
      'refused',
      { cause: error },
    );
  }
  return { log: row.log, entry: row.entry, fact: row.fact };
}

/** Rejects with `ClusterError`. */
async function clusterToJoin(cluster: PostgresCluster): Promise<ClusterRow> {
  const row = await cluster.read();
  if (row === undefined) {
    throw new ClusterError(
      'the database has no log of a cluster: run purser cluster init with the folder of the shop first',
    );
  }
  if (row.dissolved !== undefined)
    throw new ClusterError('the cluster was dissolved: nobody can join it any more');
  if (row.format === FORMAT_VERSION) return row;
  throw new ClusterError(
    `the cluster's folders have version ${row.format}, and this version of Purser makes ${FORMAT_VERSION}: use the version that its nodes have`,
  );
}

/** The node's name must be free, or its own: an earlier, interrupted join of it is no obstacle. */
async function requireFreeName(cluster: PostgresCluster, node: string): Promise<void> {
  const there = (await cluster.nodes()).find((each) => each.node === node);
  if (there === undefined || there.seenS > TAKEN_S || there.version.startsWith(JOINING)) return;
  throw new ClusterError(
    `the cluster has a node ${node}, which was there ${Math.ceil(there.seenS)} s ago: choose another --node, or, if it is gone for good, try again after a minute`,
  );
}

async function make(folder: string, row: ClusterRow, options: JoinOptions): Promise<void> {
  const { key, node, files, print = () => {} } = options;
  const ring = await load(folder, row, options);
  // Before the long rest: a wrong key is refused here.
  openRingText(ring, { name: "the cluster's key ring", masterKey: key.masterKey, keyOrigin: key.origin });
  writeDurably(join(folder, KEY_RING_FILE), ring);
  if (key.fromEnvironment === undefined) writeKeyFile(keyFileOf(folder), key.text);
  const own = new FilesFolder(folder);
  own.make();
  // What has come is proved with everything else.
  for (const fileId of await filesNamedIn(folder)) {
    await persist(() => files.fetch(fileId, own.path(fileId)));
  }
  await own.sync();
  await verifyFiles(folder, print, key.fromEnvironment);
  // Its files are all there: the format alone is written.
  await beginFolder(folder);
  writeClusterFile(folder, { log: row.log, node, entry: row.entry, term: row.term });
}

/** The text of the key ring. */
async function load(folder: string, base: Base, { cluster, onProgress }: JoinOptions): Promise<string> {
  const target = new FolderLoad(folder);
  const hash = createHash('sha256');
  try {
    for (let part = 0; part < base.parts; part += 1) {
      const bytes = await persist(() => cluster.readPart(base.base, part));
      if (bytes === undefined) throw new ClusterError(TRIMMED);
      hash.update(bytes);
      await target.part(bytes);
      onProgress?.(part + 1, base.parts);
    }
    if (hash.digest('hex') !== base.sha256) throw new DamagedDataError('its SHA-256 is wrong');
    return await target.finish();
  } finally {
    await target.close();
  }
}

async function filesNamedIn(folder: string): Promise<ReadonlySet<string>> {
  const files = new Set<string>();
  const journal = new JournalReader(openLogReader(folder), GENESIS);
  try {
    const fact = (each: Fact) => {
      if (each.kind === 'ProductFileSet') files.add(each.file.fileId);
    };
    // Reading on is what hands the facts over.
    for (const _ of journal.visit(Number.POSITIVE_INFINITY, { fact, skipsPurchases: true }));
    return files;
  } finally {
    await journal.close();
  }
}
