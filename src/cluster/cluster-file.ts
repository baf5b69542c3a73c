/**
 * `cluster` in the data folder: the folder belongs to a node of a cluster, whose log lies elsewhere.
 *
 * Invariant: the place that it names is never ahead of what the folder has on disk. The place may lie behind: entries
 * can be taken again. A folder that has this file is ahead of no log, so it must not be written to without its log.
 *
 * Rejected: a row in `checkpoint.mdb`, for the place must be readable before anything else of the folder is opened.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../persistence/disk/durable-file.ts';
import { CLUSTER_FILE } from '../persistence/folder/data-folder.ts';
import { codeOf } from '../shared/error-code.ts';

const VERSION = 1;

export interface ClusterFile {
  /** Which log: 32 hexadecimal digits, at random, the same in all folders of the cluster. */
  readonly log: string;
  /** The node's name: 1 to 40 of a-z, 0-9 and -. */
  readonly node: string;
  /** The last entry of the log that the folder has, and its term; both 0 before the first. */
  readonly entry: number;
  readonly term: number;
}

/** Undefined when the folder belongs to no cluster. Throws when it can't be read, or is damaged. */
export function readClusterFile(folder: string): ClusterFile | undefined {
  const path = clusterFilePath(folder);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Error(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  const file = parse(text);
  if (file === undefined) {
    throw new Error(
      `${path} is damaged, or of another version: empty the folder and run purser cluster join`,
    );
  }
  return file;
}

/** Durable when it returns. Throws the file system's errors. */
export function writeClusterFile(folder: string, file: ClusterFile): void {
  writeDurably(clusterFilePath(folder), clusterFileText(file));
}

export function clusterFilePath(folder: string): string {
  return join(folder, CLUSTER_FILE);
}

export function clusterFileText({ log, node, entry, term }: ClusterFile): string {
  return `${JSON.stringify({ version: VERSION, log, node, entry, term })}\n`;
}

function parse(text: string): ClusterFile | undefined {
  let read: Partial<Record<keyof ClusterFile | 'version', unknown>>;
  try {
    read = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { version, log, node, entry, term } = read ?? {};
  if (version !== VERSION || typeof log !== 'string' || !/^[0-9a-f]{32}$/.test(log)) return undefined;
  if (typeof node !== 'string' || !isNodeName(node)) return undefined;
  return isNumber(entry) && isNumber(term) ? { log, node, entry, term } : undefined;
}

/** The form of a node's name. */
export function isNodeName(text: string): boolean {
  return /^[a-z0-9-]{1,40}$/.test(text);
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
