/**
 * Objects at a target besides chunks (`chunk.ts`), and their names. Names sort as they came to be, so a listing ends
 * with the newest.
 */
import type { LogHead } from '../persistence/journal/frame-log.ts';
import { epochText } from './chunk.ts';

export const BACKUP_FORMAT = 'purser backup, version 1';

export const RUNS = 'runs/';
export const MANIFESTS = 'manifests/';
/** Like manifests, of a backup that isn't complete: it goes on from there. Nobody restores from them. */
export const PROGRESS = 'progress/';
export const KEYS = 'keys/';

/** A position of the journal, as API and manifests show it. */
export interface PositionJson {
  /** The number of the last fact; 0 before the first one. */
  readonly seq: number;
  /** SHA-256 (hex) of the frame that ends with it. */
  readonly hash: string;
}

export function positionJson({ position, hash }: LogHead): PositionJson {
  return { seq: position, hash: hash.toString('hex') };
}

export function logHeadOf({ seq, hash }: PositionJson): LogHead {
  return { position: seq, hash: Buffer.from(hash, 'hex') };
}

/** `runs/…`: a node begins to ship. Whoever finds a newer one than its own has been replaced. */
export interface Run {
  readonly format: typeof BACKUP_FORMAT;
  readonly shop: string;
  readonly epoch: number;
  /** The run's number in its epoch, from 1. */
  readonly run: number;
  /** Where the epoch before was left; null of epoch 1. */
  readonly fork: { readonly epoch: number; readonly position: PositionJson } | null;
  /** When the epoch began, Unix milliseconds: it tells two restores of one backup apart. Absent of epoch 1. */
  readonly begun?: number;
  /** Unix milliseconds. */
  readonly at: number;
  /** Random, so that two nodes that write the same run at the same moment see that one of them didn't. */
  readonly nonce: string;
}

export interface StoredObject {
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 (hex). */
  readonly sha256: string;
}

/** The gap: between these moments (Unix milliseconds) the shop may have done something that nobody knows of. */
export interface GapJson {
  readonly from: number;
  readonly to: number;
}

/** `manifests/…`: all objects that make the shop up to a position, each of which was read back. */
export interface Manifest {
  readonly format: typeof BACKUP_FORMAT;
  readonly shop: string;
  readonly epoch: number;
  readonly run: number;
  readonly position: PositionJson;
  /** When the last fact happened, and when this was written, in Unix milliseconds. */
  readonly lastAt: number;
  readonly at: number;
  /**
   * Whether the node has stopped with this, and no fact came behind it. A clean end counts while its run is the newest.
   */
  readonly isCleanEnd: boolean;
  /**
   * The gap that is open at a clean end, as `GET /restore` says it, in Unix milliseconds. Absent when there is none.
   */
  readonly gap?: GapJson;
  /** The ring of then. A newer one opens all that it opened, and takes its place (`keysName`). */
  readonly keys: StoredObject;
  /** Number of the last chunk of `log`, in this epoch, of which all is in chunks of `base`, too; 0 when there is none. */
  readonly logThrough: number;
  /** Chunks in the order in which they are read. They may overlap: frames that were read already are passed over. */
  readonly chunks: readonly StoredObject[];
}

export function runName({ epoch, run }: Pick<Run, 'epoch' | 'run'>): string {
  return `${RUNS}${epochText(epoch)}-${String(run).padStart(8, '0')}.json`;
}

/** Several may be written of one position: `at` tells them apart. */
export function manifestName(
  { epoch, position, at }: Pick<Manifest, 'epoch' | 'position' | 'at'>,
  prefix: typeof MANIFESTS | typeof PROGRESS = MANIFESTS,
): string {
  return `${prefix}${epochText(epoch)}/${positionText(position.seq)}-${String(at).padStart(15, '0')}.json`;
}

/** `number` counts the key rings of an epoch, from 1; the newest one counts, of the highest epoch. */
export function keysName(epoch: number, number: number): string {
  return `${KEYS}${epochText(epoch)}-${String(number).padStart(8, '0')}.ring`;
}

function positionText(position: number): string {
  return String(position).padStart(16, '0');
}

const RUN_NAME = /^runs\/(\d{6,})-(\d{8,})\.json$/;
const KEYS_NAME = /^keys\/(\d{6,})-(\d{8,})\.ring$/;

/** Undefined when the name is no run's. */
export function parseRunName(name: string): Pick<Run, 'epoch' | 'run'> | undefined {
  const match = RUN_NAME.exec(name);
  return match === null ? undefined : { epoch: Number(match[1]), run: Number(match[2]) };
}

/** Undefined when the name is no key ring's. */
export function parseKeysName(name: string): { readonly epoch: number; readonly number: number } | undefined {
  const match = KEYS_NAME.exec(name);
  return match === null ? undefined : { epoch: Number(match[1]), number: Number(match[2]) };
}
