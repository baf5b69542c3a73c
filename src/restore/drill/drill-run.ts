/**
 * One drill, as the node sees it: a process that makes a folder in the data folder, and what it says; whatever becomes of
 * it, the folder is removed afterwards.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runWatched } from '../watched-process.ts';
import type { DrillReport, DrillRequest } from './drill-messages.ts';

export interface DrillRunOptions extends Omit<DrillRequest, 'folder'> {
  readonly dataDir: string;
  /** It has failed when it says nothing for so long, … */
  readonly silenceMs: number;
  /** … or isn't done after so long. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Hears what it waits for, in one line; undefined: for nothing any more. */
  readonly onWait?: ((line: string | undefined) => void) | undefined;
  /** For tests; default: `drill-process.ts`. */
  readonly program?: string | undefined;
}

/** Where a drill makes its folder. */
export function drillFolder(dataDir: string): string {
  return join(dataDir, 'drill');
}

/** What a node left that was killed amid a drill: its process ends with it, and removes nothing. */
export async function removeDrillFolder(dataDir: string): Promise<void> {
  await rm(drillFolder(dataDir), { recursive: true, force: true, maxRetries: 3 });
}

/** Resolves with why it failed, in one sentence; null when it didn't. Rejects when `signal` is aborted. */
export async function runDrill(options: DrillRunOptions): Promise<string | null> {
  const { dataDir, signal, silenceMs, deadlineMs, source, masterKey, point, onWait } = options;
  signal.throwIfAborted();
  await removeDrillFolder(dataDir);
  const program = options.program ?? fileURLToPath(new URL('./drill-process.js', import.meta.url));
  const request = { source, masterKey, point, folder: join(drillFolder(dataDir), 'shop') };
  const watch = { dataDir, silenceMs, deadlineMs, noRoom: NO_ROOM, signal };
  try {
    const { error } = await runWatched<DrillReport>(program, request, watch, (report) => {
      if (report.kind === 'waits') onWait?.(report.line);
    });
    return error;
  } finally {
    await removeDrillFolder(dataDir);
  }
}

const NO_ROOM = 'the disk of the data folder has no room for a drill: make room';
