/**
 * `postgres://USER@HOST:PORT,HOST:PORT/DB`: where the log lies, as the operator wrote it.
 *
 * Several hosts in one URL are libpq's form, which `URL` doesn't read; so the list of hosts is taken out before. A
 * password is refused here: command lines and logs are read by others.
 */
import { readTextFile } from '../../shared/text-reader.ts';

const DEFAULT_PORT = 5432;

export interface LogHost {
  readonly host: string;
  readonly port: number;
}

export interface LogUrl {
  readonly hosts: readonly LogHost[];
  readonly user: string;
  readonly database: string;
  /** Undefined: no TLS. Else certificates are verified, against these authorities if there are any (PEM). */
  readonly tls: { readonly ca?: string } | undefined;
}

const FORM = 'write it as postgres://USER@HOST:PORT,HOST:PORT/DB';
const OPTIONS = ['sslmode', 'sslrootcert'];

/** Throws an error with a message for who wrote the URL. */
export function parseLogUrl(text: string): LogUrl {
  const match = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?@]+)\/([^/?]+)(?:\?(.*))?$/.exec(text);
  if (match === null) throw new Error(`the URL of the log is not understood: ${FORM}`);
  const [, user = '', hosts = '', database = '', query = ''] = match;
  if (user.includes(':')) {
    throw new Error(
      'the URL of the log has a password, which others could read: give it by PGPASSWORD, PGPASSFILE or --log-password-file',
    );
  }
  if (user === '') throw new Error(`the URL of the log names no user: ${FORM}`);
  return {
    hosts: hosts.split(',').map(parseHost),
    user: decode(user),
    database: decode(database),
    tls: tlsOf(new URLSearchParams(query)),
  };
}

/** For messages and status: without a user. */
export function hostsText({ hosts }: Pick<LogUrl, 'hosts'>): string {
  return hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(',');
}

function parseHost(text: string): LogHost {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/i.exec(text);
  const port = Number(match?.[3] ?? DEFAULT_PORT);
  const host = match?.[1] ?? match?.[2];
  if (host === undefined || port < 1 || port > 65_535) {
    throw new Error(`the URL of the log has a host that is not understood, "${text}": ${FORM}`);
  }
  return { host, port };
}

function tlsOf(options: URLSearchParams): LogUrl['tls'] {
  for (const name of options.keys()) {
    if (!OPTIONS.includes(name)) {
      throw new Error(`the URL of the log has an unknown option, ${name}: known are ${OPTIONS.join(', ')}`);
    }
  }
  const mode = options.get('sslmode') ?? 'verify-full';
  if (mode === 'disable') return undefined;
  if (mode !== 'verify-full') {
    throw new Error(
      `the URL of the log has sslmode=${mode}: leave it out (certificates are verified) or write sslmode=disable`,
    );
  }
  const file = options.get('sslrootcert');
  if (file === null) return {};
  try {
    return { ca: readTextFile(file) };
  } catch (error) {
    throw new Error(`sslrootcert cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error(`the URL of the log has a wrong % in "${text}": ${FORM}`);
  }
}

/** The password for PostgreSQL in a file; undefined without one. Throws the file system's errors. */
export function passwordIn(file: string | undefined): string | undefined {
  return file === undefined ? undefined : readTextFile(file).replace(/\r?\n$/, '');
}
