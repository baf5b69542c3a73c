/**
 * The patient: the settings that a node would start with, its folder, and the node that has the folder now.
 *
 * Invariant: nothing is made, changed or locked, and a running node is asked what any operator may ask.
 */
import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config, Environment } from '../config/config.ts';
import type { SecretFiles } from '../config/secret-files.ts';
import { isBegun } from '../persistence/folder/data-folder.ts';
import { holderOf } from '../persistence/folder/folder-lock.ts';
import { askNode, type RunningNode } from './running-node.ts';

export interface Patient {
  readonly config: Config;
  readonly env: Environment;
  /** The data folder, or the nearest one above it that is there: the first start makes the rest. */
  readonly nearestFolder: string;
  /** Whether the data folder is there. */
  readonly isThere: boolean;
  /** Whether it has a shop's data. */
  readonly isBegun: boolean;
  /** Undefined when no node has the folder. */
  readonly running: RunningNode | undefined;
  /** Where the operator says that a copy of the master key is. */
  readonly masterKeyCopy: string | undefined;
  /** Secrets that are in files, and could not be read. */
  readonly secretTroubles: SecretFiles['troubles'];
}

export interface Visit {
  readonly config: Config;
  readonly env: Environment;
  readonly masterKeyCopy?: string | undefined;
  readonly secretTroubles: SecretFiles['troubles'];
}

export async function admit({ config, env, masterKeyCopy, secretTroubles }: Visit): Promise<Patient> {
  const { dataDir } = config;
  const isThere = statSync(dataDir, { throwIfNoEntry: false })?.isDirectory() === true;
  const pid = isThere ? await holderOf(dataDir).catch(() => undefined) : undefined;
  return {
    config,
    env,
    nearestFolder: nearest(dataDir),
    isThere,
    isBegun: isThere && isBegun(dataDir),
    running: pid === undefined ? undefined : await askNode(pid, config),
    masterKeyCopy,
    secretTroubles,
  };
}

function nearest(folder: string): string {
  let path = folder;
  while (!existsSync(path) && dirname(path) !== path) path = dirname(path);
  return path;
}
