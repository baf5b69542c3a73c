/**
 * The thread that backs up: reading a folder, sealing chunks and waiting for targets take nothing from purchases.
 *
 * The thread reads only, but for the mark of a clean end. All that it needs from the node are the folder, the keys, and
 * the key ring's text, again when that changes.
 */
import { DataKeys } from '../persistence/keys/data-keys.ts';
import { sayer, serve, threadStart } from '../threads/thread-server.ts';
import { BackupError } from './backup-error.ts';
import type { BackupEvents, BackupThreadData, ContinuousSettings, SingleRequest } from './backup-messages.ts';
import { CleanEndMark } from './clean-end/clean-end-mark.ts';
import { Retrying } from './retrying.ts';
import type { ContinuousShipping } from './shipping/continuous-shipping.ts';
import { FolderParts, type ShippedFolder } from './shipping/shipped-folder.ts';
import { shipOn } from './shipping/shipping-on.ts';
import { backUp, reasonOf } from './shipping/single-backup.ts';
import type { BackupTarget, TargetError } from './target/backup-target.ts';
import { openTarget } from './target/open-target.ts';
import { honoursConditions } from './target/target-conditions.ts';
import { type GapJson, type PositionJson, positionJson } from './target-layout.ts';

/** A single backup gives up when its target has not worked for so long. */
const SINGLE_PATIENCE_MS = 60_000;
/** See `SeriesShipping`: it goes on behind the traffic. */
const SINGLE_REST = 2;

const { data, gate } = threadStart<BackupThreadData>();
const say = sayer<BackupEvents>('shipped', 'trouble', 'lost', 'altered', 'warned', 'ended', 'progress');
const keys = DataKeys.of(data.keys);
const parts = new FolderParts(data.folder, keys, gate);
let { ring } = data;
const folder: ShippedFolder = {
  runner: data.runner,
  keys,
  parts,
  ring: () => ring,
};

/** Ends all that is under way. */
const ended = new AbortController();
let target: BackupTarget | undefined;
let shipping: ContinuousShipping | undefined;

function open(text: string): BackupTarget {
  return openTarget(text, process.env, { makesFolder: true, dataFolder: data.folder });
}

function retryingOf(series: 'base' | 'log'): Retrying {
  const onTrouble = (error: TargetError | undefined) =>
    say.trouble(series, error?.message ?? null, error?.fault === 'impossible');
  return new Retrying({ signal: ended.signal, patienceMs: Number.POSITIVE_INFINITY, onTrouble });
}

function alteredAt(url: string, name: string): string {
  return `${name} at ${url} is not what this shop wrote, and counts for nothing: find out who wrote it`;
}

/** Nothing is shipped any more. */
function tellEnd(error: unknown): void {
  if (ended.signal.aborted) return;
  if (BackupError.is(error, 'fenced')) say.ended('fenced', error.message, error.goneOn ?? null);
  else say.ended('failed', reasonOf(error), null);
}

/** Resolves when the run is there, or nothing will be shipped. */
function ship(to: BackupTarget, settings: Omit<ContinuousSettings, 'target'>): Promise<void> {
  return new Promise((resolve) => {
    shipOn({
      ...settings,
      folder,
      target: to,
      retrying: { base: retryingOf('base'), log: retryingOf('log') },
      clock: Date.now,
      mark: new CleanEndMark(data.folder),
      onShipped: (position, lastAtMs) => say.shipped(positionJson(position), lastAtMs),
      onAltered: say.altered,
      onBegun: (begun) => {
        shipping = begun;
        resolve();
      },
      onLost: ({ message }) => {
        shipping = undefined;
        say.lost(message);
      },
    }).catch((error: unknown) => {
      tellEnd(error);
      resolve();
    });
  });
}

/** Whether two nodes notice each other at once. A target that fails at it now is tried out by the next start. */
async function tryOut(at: BackupTarget): Promise<void> {
  const keepsPromise = await honoursConditions(at, { signal: ended.signal }).catch(() => true);
  if (!keepsPromise) say.warned(`${at.url} gives a name twice: two nodes that ship there notice it late`);
}

const calls = {
  /** Resolves when the run is there, or nothing will be shipped. Again only after it has ended. */
  begin: async ({ target: text, ...settings }: ContinuousSettings): Promise<void> => {
    try {
      await shipping?.close();
      shipping = undefined;
      await target?.close();
      target = open(text);
      await ship(target, settings);
      if (shipping !== undefined) void tryOut(target);
    } catch (error) {
      tellEnd(error);
    }
  },
  /** Ships the rest; `gap` is what is open. Whether it marked a clean end. */
  finish: async (gap?: GapJson): Promise<boolean> => {
    try {
      await shipping?.finish(gap);
      return shipping !== undefined;
    } catch (error) {
      tellEnd(error);
      return false;
    }
  },
  /** Resolves when it is complete. */
  backUp: async ({ backupId, target: text, through }: SingleRequest): Promise<PositionJson> => {
    const to = open(text);
    try {
      const { position } = await backUp({
        folder,
        target: to,
        through,
        rest: SINGLE_REST,
        clock: Date.now,
        retrying: new Retrying({ signal: ended.signal, patienceMs: SINGLE_PATIENCE_MS, onTrouble: () => {} }),
        onProgress: (position, bytes) => say.progress(backupId, position, bytes),
        onAltered: (name) => say.warned(alteredAt(to.url, name)),
      });
      return position;
    } catch (error) {
      throw new BackupError('failed', reasonOf(error));
    } finally {
      await to.close();
    }
  },
  setRing: (next: BackupThreadData['ring']): void => {
    ring = next;
    void shipping?.shipRing();
  },
  stop: async (): Promise<void> => {
    ended.abort(new Error('the node stops'));
    await shipping?.close();
    await target?.close();
    await parts.close();
    // A thread of libuv's that a hanging file system holds would keep this one from ending, for ever.
    if (target?.holdsThread === true) await new Promise(() => {});
  },
};
export type BackupCalls = typeof calls;

serve(calls, [BackupError]);
