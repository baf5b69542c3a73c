/**
 * A system under load: Purser, one of its peers, or a server that sells nothing (floor and ceiling).
 *
 * All of them speak the same HTTP: the buyer's and the operator's calls that `World`, `Stage` and `Audit` make.
 * So they get the same load and the same check, and nothing here knows what is behind the HTTP.
 */
import type { RunningNode } from './running-node.ts';

export const systemNames = [
  'purser',
  'floor',
  'ceiling',
  'postgres-statements',
  'postgres-function',
  'redis-always',
  'redis-everysec',
  'sqlite',
  'mariadb',
] as const;
export type SystemName = (typeof systemNames)[number];
export const referenceNames = ['floor', 'ceiling'] as const satisfies readonly SystemName[];

/** The floor or the ceiling: it sells nothing, and shows what the machine can do. Any other name is one that sells. */
export function isReference(name: string): boolean {
  return referenceNames.some((reference) => reference === name);
}

export interface StartSystemOptions {
  /** A folder of its own. Empty, or with the data of an earlier start: then the system goes on with that. */
  readonly folder: string;
  /** HTTP processes. Purser is one process and ignores it. */
  readonly processes: number;
  /** Without its lock or its unique key, to show that the audit sees it. Purser ignores it. */
  readonly broken: boolean;
  /**
   * `afterPowerCut` will be called: what it needs is recorded while the system runs, which costs a little processor
   * time. Systems without `afterPowerCut` ignore it. False when left out.
   */
  readonly watchSyncs?: boolean;
}

export interface System {
  readonly name: SystemName;
  /** Every acknowledged purchase survives a power cut, by this configuration. */
  readonly durable: boolean;
  /** Why it can't run here and what to install, in one line; undefined when it can run. */
  missing(): Promise<string | undefined>;
  /** The version of the server that keeps the data, e.g. `PostgreSQL 15.18`. Called only when nothing is missing. */
  version(): Promise<string>;
  /** The settings, as names and values, and why each matters: printed with the figures. */
  readonly configuration: Readonly<Record<string, string>>;
  /** HTTP processes it can have; any number when left out. */
  readonly maxProcesses?: number;
  /**
   * Resolves when it accepts requests. All of its processes are descendants of the node's `pid`: they are
   * measured together, and `kill` ends them all with SIGKILL.
   */
  start(options: StartSystemOptions): Promise<RunningNode>;
  /**
   * For a folder whose node was killed: leaves there what a power cut would have left at that moment. Returns how many
   * bytes it took away. Left out where everything that was acknowledged is on disk.
   */
  afterPowerCut?(folder: string): Promise<number>;
}
