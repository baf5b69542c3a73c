/**
 * Every variable of the environment that means something, beside those of the flags (`options.ts`). A test holds the help
 * against what the source reads.
 */
import { OPTIONS } from './options.ts';

export interface Variable {
  readonly name: string;
  readonly description: string;
}

/** Read by the server, or by the commands that call it; none has a flag of the same name. */
export const OWN_VARIABLES: readonly Variable[] = [
  { name: 'PURSER_CONFIG', description: 'JSON file with the settings (flag --config)' },
  {
    name: 'PURSER_MASTER_KEY',
    description: 'master key, 32 bytes in base64; without it the file master-key of the data folder',
  },
  {
    name: 'PURSER_OPERATOR_TOKEN',
    description: "token of the owner; without it the data folder's operator-token",
  },
  { name: 'PURSER_MASTER_KEY_FILE', description: 'file with the master key, in place of PURSER_MASTER_KEY' },
  { name: 'PURSER_OPERATOR_TOKEN_FILE', description: 'file with the token of the owner' },
  { name: 'PURSER_ALERT_SECRET_FILE', description: 'file with the secret of --alert-secret' },
  { name: 'PURSER_OPERATOR_URL', description: 'operator API that commands call (flag --operator)' },
  { name: 'PURSER_S3_ENDPOINT', description: "URL of the store of a backup's bucket" },
  { name: 'PURSER_S3_REGION', description: 'region of that bucket' },
  {
    name: 'PURSER_S3_PATH_STYLE',
    description: "true: the bucket is in the path of a URL, not in its host's name",
  },
];

/** Variables of other programs and libraries, which mean here what they mean there. */
export const FOREIGN_VARIABLES: readonly Variable[] = [
  { name: 'AWS_ACCESS_KEY_ID', description: "key of the backup's store" },
  { name: 'AWS_SECRET_ACCESS_KEY', description: 'the secret of that key' },
  { name: 'PGPASSWORD', description: "password for a cluster's log" },
  { name: 'PGPASSFILE', description: 'file with passwords for it' },
  { name: 'NODE_EXTRA_CA_CERTS', description: 'file with certificates of further authorities' },
  { name: 'TMPDIR', description: "folder for the database's lock files of a folder that is only read" },
  { name: 'UV_THREADPOOL_SIZE', description: 'threads that write and read files (default: 16)' },
  {
    name: 'UWS_HTTP_MAX_HEADERS_SIZE',
    description: 'largest request head with uWebSockets.js, in bytes (default: 16384)',
  },
  { name: 'NOTIFY_SOCKET', description: 'set by systemd, which is told when the node is ready' },
  { name: 'WATCHDOG_USEC', description: 'set by systemd, which is told so often that the node is well' },
  { name: 'WATCHDOG_PID', description: 'set by systemd: which process it watches' },
];

/** For the end of a command's help. `hasFlags`: the help already names those of the flags. */
export function variablesHelp(hasFlags: boolean): string {
  const ofFlags = Object.values(OPTIONS).map(({ name, env, description }) => ({
    name: env,
    description: `${description} (flag --${name})`,
  }));
  const variables = [...OWN_VARIABLES, ...(hasFlags ? [] : ofFlags), ...FOREIGN_VARIABLES];
  const width = Math.max(...variables.map(({ name }) => name.length));
  const lines = variables.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`);
  const title = hasFlags ? 'Environment, beside the flags:' : 'Environment:';
  return ['', title, ...lines].join('\n');
}
