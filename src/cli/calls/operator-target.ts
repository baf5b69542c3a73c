/**
 * The node that a command talks to, and the token.
 *
 * Flags win over the environment, which wins over the data folder of a node on this machine: the node writes its address
 * and token there. A token from a data folder is sent only to the address from that folder, unless the command line gives
 * both `--data` and `--operator`: `--operator` alone must never send the local token to a foreign server.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../config/config.ts';
import { OPTIONS } from '../../config/options.ts';
import { codeOf } from '../../shared/error-code.ts';
import { CommandFailure, fileTrouble, usageError } from '../terminal/failure.ts';

const API_PATH = '/operator/v1';

export interface OperatorTarget {
  /** The operator API's base, without a slash at its end. */
  readonly url: string;
  readonly token: string;
}

export interface TargetFlags {
  readonly operator?: string;
  readonly token?: string;
  readonly data?: string;
}

/** Throws `CommandFailure` for a bad URL, and when there is no node or no token to be found. */
export function findOperator(flags: TargetFlags, env: Environment): OperatorTarget {
  const fromEnvironment = flags.data === undefined;
  const namedUrl = flags.operator ?? (fromEnvironment ? nonEmpty(env.PURSER_OPERATOR_URL) : undefined);
  const namedToken = flags.token ?? (fromEnvironment ? nonEmpty(env.PURSER_OPERATOR_TOKEN) : undefined);
  const folder = dataFolder(flags.data, env);
  const url = parseUrl(namedUrl ?? readAddress(folder));
  if (namedToken !== undefined) return { url, token: parseToken(namedToken) };
  if (namedUrl !== undefined && flags.data === undefined) {
    throw new CommandFailure(`no token for ${url}: give --token or set PURSER_OPERATOR_TOKEN`);
  }
  return { url, token: parseToken(readToken(folder, env)) };
}

/** The data folder: that of `--data`, else of PURSER_DATA, else the default. */
export function dataFolder(flag: string | undefined, env: Environment): string {
  const { kind, fallback = '' } = OPTIONS.dataDir;
  const folder = kind.parse(flag ?? nonEmpty(env[OPTIONS.dataDir.env]) ?? fallback);
  if (folder === undefined) throw usageError(`--data: expected ${kind.expected}`);
  return folder;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === undefined || !isHttp || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw usageError(
      `${JSON.stringify(text)} is not the address of an operator API; expected something like http://127.0.0.1:8081${API_PATH}`,
    );
  }
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path === '' ? API_PATH : path}`;
}

/** A token with a line break or a space can't be sent as a header. */
function parseToken(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw usageError('the operator token is not valid; expected visible ASCII without spaces');
}

function readAddress(folder: string): string {
  const path = join(folder, 'operator-address');
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw new CommandFailure(`cannot read ${path}: ${fileTrouble(error)}`);
    throw new CommandFailure(
      `no node found: ${path} does not exist; start one with \`purser serve\`, point --data at its folder, or give --operator and --token`,
    );
  }
}

/** A server that got its token from the environment leaves none in its folder. */
function readToken(folder: string, env: Environment): string {
  const path = join(folder, 'operator-token');
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    const fallback = nonEmpty(env.PURSER_OPERATOR_TOKEN);
    if (codeOf(error) === 'ENOENT' && fallback !== undefined) return fallback;
    throw new CommandFailure(
      `cannot read the operator token from ${path}: ${fileTrouble(error)}; give --token or set PURSER_OPERATOR_TOKEN`,
    );
  }
}
