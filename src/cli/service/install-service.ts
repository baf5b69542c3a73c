/**
 * `purser install-service`: a unit for systemd, with its user, folder and file of secrets. Files that are there stay,
 * but for the unit; so the command can be run again with other flags.
 */
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isSea } from 'node:sea';
import type { Command } from 'commander';
import { refuseHalfCluster } from '../../config/cluster-options.ts';
import { type Flags, loadConfig } from '../../config/config.ts';
import { refuseHalfTls } from '../../config/tls-options.ts';
import { codeOf } from '../../shared/error-code.ts';
import { addNodeOptions } from '../node-options.ts';
import { CommandFailure, usageError } from '../terminal/failure.ts';
import { printLines, type Terminal } from '../terminal/terminal.ts';
import { COMPANIONS, type Companion, companionSettings } from './companions.ts';
import { hiddenPaths, unitSettings } from './service-settings.ts';
import { STATE, type UnitSettings, unitText } from './unit.ts';

const UNITS = '/etc/systemd/system';
const ENVIRONMENT = `# Settings of Purser for its service, a variable a line; purser --help names them all. Only root can read this file.
# PURSER_MASTER_KEY=
# PURSER_OPERATOR_TOKEN=
`;

export function addInstallServiceCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('install-service')
    .description(
      'install a unit for systemd that serves with these flags (default of --data: /var/lib/purser)',
    );
  addNodeOptions(command)
    .option('--print', 'print the unit, and install nothing')
    .option('--user <NAME>', 'user that the service runs as', 'purser')
    .option('--exec <FILE>', 'program that the unit starts (default: this one)')
    .option('--root <DIR>', 'install below this folder, where --config is read, too, and tell no systemd')
    .allowUnknownOption()
    .allowExcessArguments();
  for (const { name, command: words } of COMPANIONS)
    command.option(`--${name}`, `a unit of \`purser ${words.join(' ')}\` instead, with its flags`);
  command.action((flags: Flags) => {
    const { print, root = '' } = flags;
    const settings = settingsOf(command, terminal);
    const hidden = hiddenPaths(settings);
    const trouble = `the service cannot see ${hidden.join(', ')}: install Node and Purser for all users, and choose folders outside of home and temporary folders`;
    if (print === true) {
      if (hidden.length > 0) printLines(terminal.stderr, [`warning: ${trouble}`]);
      printLines(terminal.stdout, [unitText(settings).trimEnd()]);
      return;
    }
    if (hidden.length > 0) throw new CommandFailure(trouble);
    install(settings, String(root));
    printLines(terminal.stdout, resultLines(settings, String(root)));
  });
}

function settingsOf(command: Command, terminal: Terminal): UnitSettings {
  const flags = command.opts<Flags>();
  const { user, exec, root = '' } = flags;
  const service = {
    user: userName(String(user)),
    program: exec === undefined ? thisProgram() : [absolute(String(exec))],
    unpacks: isSea(),
  };
  const companion = COMPANIONS.find(({ name }) => flags[name] === true);
  if (companion !== undefined) {
    refuseNodeFlags(command, companion);
    return companionSettings(companion, command.args, service, terminal);
  }
  const [stray] = command.args;
  if (stray !== undefined) command.error(`error: unknown option or argument '${stray}'`);
  // The service has an environment of its own.
  const config = loadConfig(flags, {}, (path) => readFileSync(join(String(root), resolve(path)), 'utf8'));
  refuseHalfCluster(config);
  refuseHalfTls(config);
  return unitSettings(config, flags, service);
}

const OWN_FLAGS = new Set(['--print', '--user', '--exec', '--root']);

function refuseNodeFlags(command: Command, { name }: Companion): void {
  for (const option of command.options) {
    const { long } = option;
    const isGiven = command.getOptionValueSource(option.attributeName()) === 'cli';
    if (isGiven && long !== `--${name}` && !OWN_FLAGS.has(long ?? ''))
      throw usageError(`${long}: it is not a flag of --${name}`);
  }
}

function install(settings: UnitSettings, root: string): void {
  if (process.platform !== 'linux') throw new CommandFailure('there is systemd on Linux only');
  try {
    const uid = ensureUser(settings, root);
    if (!settings.dataDir.startsWith(STATE)) makeFolder(join(root, settings.dataDir), uid);
    if (settings.node !== undefined) makeEnvironment(join(root, settings.node.environmentFile));
    const unit = unitFile(settings, root);
    mkdirSync(dirname(unit), { recursive: true });
    writeFileSync(unit, unitText(settings), { mode: 0o644 });
    if (root === '') execFileSync('systemctl', ['daemon-reload'], { stdio: 'pipe' });
  } catch (error) {
    if (codeOf(error) === 'EACCES' || codeOf(error) === 'EPERM')
      throw new CommandFailure('only root can install a service: use sudo, or --print');
    throw error;
  }
}

function unitFile({ name }: UnitSettings, root: string): string {
  return join(root, UNITS, `${name}.service`);
}

function makeEnvironment(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
  if (!existsSync(file)) writeFileSync(file, ENVIRONMENT, { mode: 0o600, flag: 'wx' });
}

/** The id of the user, who is made if need be. */
function ensureUser({ user, dataDir }: UnitSettings, root: string): number {
  const known = uidOf(user, root);
  if (known !== undefined) return known;
  if (process.getuid?.() !== 0)
    throw new CommandFailure('only root can install a service: use sudo, or --print');
  const args = root === '' ? ['-'] : [`--root=${root}`, '-'];
  const input = `u ${user} - "Purser" ${dataDir.includes(' ') ? '-' : dataDir}\n`;
  execFileSync('systemd-sysusers', args, { input, stdio: ['pipe', 'pipe', 'pipe'] });
  const made = uidOf(user, root);
  if (made === undefined) throw new CommandFailure(`the user ${user} could not be made`);
  return made;
}

function uidOf(user: string, root: string): number | undefined {
  const file = join(root === '' ? '/' : root, 'etc', 'passwd');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const [, , uid] = lines.find((line) => line.startsWith(`${user}:`))?.split(':') ?? [];
  return uid === undefined ? undefined : Number(uid);
}

function makeFolder(folder: string, uid: number): void {
  if (existsSync(folder)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chownSync(folder, uid, uid);
}

function resultLines(settings: UnitSettings, root: string): string[] {
  const { name, user, dataDir, node } = settings;
  const what = node === undefined ? 'a service' : 'a node';
  const folder = node === undefined ? 'folder' : 'data folder';
  return [
    `installed ${unitFile(settings, root)}: ${what} of the user ${user} with the ${folder} ${dataDir}`,
    node === undefined
      ? `the files that its flags name must be readable by ${user}`
      : `secrets belong into ${join(root, node.environmentFile)}`,
    `start it: systemctl enable --now ${name}`,
    `its log: journalctl --unit ${name}`,
  ];
}

/** The program and its script by whole paths: the service's `PATH` is another than that of whoever installs it. */
function thisProgram(): string[] {
  const [, script = ''] = process.argv;
  return isSea() ? [process.execPath] : [process.execPath, realpathSync(script)];
}

function absolute(path: string): string {
  if (path.startsWith('/')) return path;
  throw usageError('--exec: expected a whole path');
}

function userName(text: string): string {
  if (/^[a-z_][a-z0-9_-]{0,30}$/.test(text)) return text;
  throw usageError('--user: expected the name of a user: a-z, 0-9, _ and -');
}
