/**
 * The machine that is checked: the settings that a node would start with, its folder, and whether a node has that now.
 *
 * Invariant: nothing is made, changed or locked, and no node is asked.
 */
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config, Environment } from '../config/config.ts';
import { isBegun } from '../persistence/folder/data-folder.ts';
import { holderOf } from '../persistence/folder/folder-lock.ts';

export interface CheckedMachine {
  readonly config: Config;
  readonly env: Environment;
  /** The data folder, or the nearest one above it that is there: the first start makes the rest. */
  readonly nearestFolder: string;
  /** Whether the data folder is there. */
  readonly isThere: boolean;
  /** Whether it has a shop's data. */
  readonly isBegun: boolean;
  /** The process that has the folder, as it sees itself: elsewhere the number may mean another. Undefined: none has. */
  readonly holderPid: number | undefined;
  /** Where the operator says that a copy of the master key is. */
  readonly masterKeyCopy: string | undefined;
}

export interface Visit {
  readonly config: Config;
  readonly env: Environment;
  readonly masterKeyCopy?: string | undefined;
}

export async function lookAt({ config, env, masterKeyCopy }: Visit): Promise<CheckedMachine> {
  const { dataDir } = config;
  const isThere = statSync(dataDir, { throwIfNoEntry: false })?.isDirectory() === true;
  const holderPid = isThere ? await holderOf(dataDir).catch(() => undefined) : undefined;
  return {
    config,
    env,
    nearestFolder: nearest(dataDir),
    isThere,
    isBegun: isThere && isBegun(dataDir),
    holderPid,
    masterKeyCopy,
  };
}

function nearest(folder: string): string {
  let path = folder;
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path);
  return path;
}
