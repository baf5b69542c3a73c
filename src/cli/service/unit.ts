/**
 * The unit of a node for systemd, or of a program beside it (`companions.ts`). The service may do what a node does, and
 * nothing else: `systemd-analyze security` says how much that is.
 *
 * Left out, because a node needs it: `MemoryDenyWriteExecute` (V8 makes code as it runs), `PrivateNetwork`, and
 * `ProcSubset=pid`, which hides from Node how many processors there are.
 */

export interface UnitSettings {
  /** The unit's, without `.service`. */
  readonly name: string;
  readonly description: string;
  readonly user: string;
  /** The program and its first arguments. */
  readonly program: readonly string[];
  /** Further arguments of the program. */
  readonly args: readonly string[];
  /** The data folder, or the folder in which a program beside the node keeps its place. */
  readonly dataDir: string;
  /** Folders beside that one that the program writes to; they need not be there. */
  readonly writable: readonly string[];
  /** A port below 1024. */
  readonly hasLowPort: boolean;
  /** The program is the single file: it needs a folder to unpack itself into. */
  readonly unpacks: boolean;
  /** Absent for a program beside the node. */
  readonly node?: NodeUnit;
}

interface NodeUnit {
  readonly environmentFile: string;
  /** How long a stop may take. */
  readonly stopSeconds: number;
  /** Another node waits to lead: a node of a cluster must be back at once. */
  readonly isInCluster: boolean;
}

/** Below it systemd makes folders itself, with the right owner. */
export const STATE = '/var/lib/';
const LOGS = '/var/log/';
/**
 * A cache folder beside the data folder, not in it, and not in a temporary folder, which is another one at each start.
 */
const CACHE = [
  'CacheDirectory=purser',
  'CacheDirectoryMode=0700',
  'Environment=XDG_CACHE_HOME=/var/cache/purser',
];

/** Whatever the flags are. */
const HARDENING = `UMask=0027
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateMounts=yes
DevicePolicy=closed
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RemoveIPC=yes
NoNewPrivileges=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
KeyringMode=private
SystemCallArchitectures=native
SystemCallFilter=@system-service
# Threads behind the traffic lower their own priority, which is one of @resources.
SystemCallFilter=~@privileged @resources
SystemCallFilter=setpriority
SystemCallErrorNumber=EPERM`;

export function unitText(settings: UnitSettings): string {
  const { description, user, program, args, node } = settings;
  return `# Made by \`purser install-service\`.${node === undefined ? '' : ` Secrets, and settings that change, belong into ${node.environmentFile}.`}

[Unit]
Description=${description}
Wants=network-online.target
After=network-online.target${node === undefined ? ' purser.service' : ''}
# When the program was removed, a start fails at once, and is not tried again.
${program
  .filter((word) => word.startsWith('/'))
  .map((path) => `AssertPathExists=${path.replaceAll('%', '%%')}`)
  .join('\n')}
# What cannot start now may be able to in a minute: systemd never gives up.
StartLimitIntervalSec=0

[Service]
User=${user}
ExecStart=${[...program, ...args].map((word, index) => (index === 0 ? escaped(word) : argument(word))).join(' ')}
Restart=on-failure
# Wrong settings stay wrong.
RestartPreventExitStatus=2
${node === undefined ? PROGRAM : nodeText(node)}
LimitCORE=0

${folderLines(settings).join('\n')}
${capabilityLines(settings).join('\n')}
${HARDENING}

[Install]
WantedBy=multi-user.target
`;
}

/** A program beside the node that can't go on mostly waits for somebody: for the node, or a token. */
const PROGRAM = `Type=exec
RestartSec=5s
TimeoutStopSec=30s`;

function nodeText({ environmentFile, stopSeconds, isInCluster }: NodeUnit): string {
  return `# The node says by systemd-notify when it is ready, and twice in WatchdogSec that it is well.
Type=notify
NotifyAccess=all
WatchdogSec=60s
EnvironmentFile=-${escaped(environmentFile)}
# It opens the access log anew, and reads a renewed certificate.
ExecReload=/bin/kill -HUP $MAINPID
RestartSec=${isInCluster ? '200ms' : '1s'}
# To replay a journal or to upgrade a folder takes as long as it takes.
TimeoutStartSec=infinity
# Answers under way, and then the disk.
TimeoutStopSec=${stopSeconds}s
# The node ends what it has started.
KillMode=mixed
LimitNOFILE=524288`;
}

function folderLines({ dataDir, writable, unpacks }: UnitSettings): string[] {
  const paths = [dataDir, ...writable];
  const state = nameBelow(STATE, paths);
  const logs = nameBelow(LOGS, paths);
  const others = paths.filter((path) => !path.startsWith(STATE) && !path.startsWith(LOGS));
  return [
    ...(state.length === 0 ? [] : [`StateDirectory=${state.join(' ')}`, 'StateDirectoryMode=0700']),
    ...(logs.length === 0 ? [] : [`LogsDirectory=${logs.join(' ')}`, 'LogsDirectoryMode=0750']),
    ...(unpacks ? CACHE : []),
    ...others.map((path) => `ReadWritePaths=${path === dataDir ? '' : '-'}${escaped(path)}`),
  ];
}

function nameBelow(folder: string, paths: readonly string[]): string[] {
  return paths.flatMap((path) => (path.startsWith(folder) ? [escaped(path.slice(folder.length))] : []));
}

function capabilityLines({ hasLowPort }: UnitSettings): string[] {
  // A user namespace has capabilities of its own, which the ports of the machine do not go by.
  if (hasLowPort) {
    const right = 'CAP_NET_BIND_SERVICE';
    return [`AmbientCapabilities=${right}`, `CapabilityBoundingSet=${right}`];
  }
  return ['CapabilityBoundingSet=', 'PrivateUsers=yes'];
}

/** A word with `%` escaped, which in a unit begins what systemd fills in. */
function escaped(word: string): string {
  const text = word.replaceAll('%', '%%');
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** A word of a command, in which `$` begins a variable, too. */
function argument(word: string): string {
  return escaped(word.replaceAll('$', '$$$$'));
}
