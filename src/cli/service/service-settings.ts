/** The settings of a unit, from the flags that the node is to get. */
import { dirname, resolve } from 'node:path';
import type { Config, Flags } from '../../config/config.ts';
import { OPTIONS, type Settings } from '../../config/options.ts';
import { usageError } from '../terminal/failure.ts';
import { STATE, type UnitSettings } from './unit.ts';

export const ENVIRONMENT_FILE = '/etc/purser/environment';
const DATA_DIR = `${STATE}purser`;
/** Folders of which the service sees nothing, or something else. */
const HIDDEN = /^\/(home|root|run\/user|tmp|var\/tmp)(\/|$)/;
const LOWEST_FREE_PORT = 1_024;

/**
 * The time, in seconds, that the parts of a node's stop may take: answers, of suppliers too; a disk that hangs;
 * shipping at the end.
 */
const DRAIN_SECONDS = 10;
const AFTER_SUPPLIER_SECONDS = 2;
const DISK_SECONDS = 60;
const SHIPPING_SECONDS = 30;

export interface ServiceFlags {
  readonly user: string;
  /** The program and its first arguments. */
  readonly program: readonly string[];
  /** Whether the program is the single file, which puts itself on disk. */
  readonly unpacks: boolean;
}

/** Throws `CommandFailure` where the flags would give something away in a file that everybody can read. */
export function unitSettings(
  config: Config,
  flags: Flags,
  { user, program, unpacks }: ServiceFlags,
): UnitSettings & Required<Pick<UnitSettings, 'node'>> {
  // The default is for somebody at a terminal.
  const dataDir = config.written.dataDir.source === 'default' ? DATA_DIR : config.dataDir;
  const { port, operatorPort, supplierTimeoutMs, log } = config;
  const answerSeconds = Math.max(
    DRAIN_SECONDS,
    Math.ceil(supplierTimeoutMs / 1_000) + AFTER_SUPPLIER_SECONDS,
  );
  return {
    name: 'purser',
    description: 'Purser, a server that sells digital goods by API',
    user,
    program,
    args: ['serve', ...configFlag(flags), ...dataFlag(config, dataDir), ...nodeFlags(config)],
    dataDir,
    writable: writableFolders(config),
    hasLowPort: [port, operatorPort].some((each) => each > 0 && each < LOWEST_FREE_PORT),
    unpacks,
    node: {
      environmentFile: ENVIRONMENT_FILE,
      stopSeconds: answerSeconds + DISK_SECONDS + SHIPPING_SECONDS,
      isInCluster: log !== undefined,
    },
  };
}

/** The paths of a unit that its service will not find. */
export function hiddenPaths({ program, args, dataDir, writable }: UnitSettings): string[] {
  const paths = [...program, ...args, dataDir, ...writable].filter((word) => word.startsWith('/'));
  return [...new Set(paths)].filter((path) => HIDDEN.test(path));
}

function configFlag({ config }: Flags): string[] {
  return typeof config === 'string' ? ['--config', resolve(config)] : [];
}

/**
 * The flag for the data folder. None where the file says it: a flag would win over what somebody writes there later,
 * without a word.
 */
function dataFlag({ written }: Config, dataDir: string): string[] {
  const { source, text } = written.dataDir;
  return source === 'file' && text === dataDir ? [] : ['--data', dataDir];
}

function nodeFlags(config: Config): string[] {
  return Object.entries(OPTIONS).flatMap(([field, { name, env, kind }]) => {
    const { source, text } = config.written[field as keyof Settings];
    if (source !== 'flag' || field === 'dataDir') return [];
    // The path of such a URL may let anybody post.
    if (kind.isSecret === true || field === 'alertTargets')
      throw usageError(`--${name}: everybody can read a unit; put ${env} into ${ENVIRONMENT_FILE} instead`);
    const value: unknown = config[field as keyof Settings];
    if (typeof value === 'boolean') return [value ? `--${name}` : `--no-${name}`];
    // Paths are whole there.
    return [`--${name}`, typeof value === 'string' ? value : (text ?? '')];
  });
}

function writableFolders({ accessLog, backup }: Config): string[] {
  const log = accessLog === undefined ? [] : [dirname(accessLog)];
  if (backup?.startsWith('/') !== true) return log;
  // The node makes the folder of its backup, in one that is there; below that of states, systemd does.
  return [...log, backup.startsWith(STATE) ? backup : dirname(backup)];
}
