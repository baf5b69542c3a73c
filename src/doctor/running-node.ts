/** The node that has the folder, as it tells of itself over the operator API. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { ADDRESS_FILE, TOKEN_FILE } from '../persistence/folder/data-folder.ts';

const ANSWER_MS = 5_000;

type Json = Readonly<Record<string, unknown>>;

export interface RunningNode {
  /** As its own process sees it: in another container it may mean another process. */
  readonly pid: number;
  /** The operator API's base; undefined when the folder doesn't say, as while the node starts. */
  readonly operatorUrl: string | undefined;
  /** Whether it takes purchases; undefined when it gave no answer. */
  readonly isReady: boolean | undefined;
  /** `GET /status`; undefined when it gave none, as for want of a token. */
  readonly status: Json | undefined;
  /** `GET /backups/status`, likewise. */
  readonly backup: Json | undefined;
}

export async function askNode(
  pid: number,
  { dataDir, operatorToken }: Pick<Config, 'dataDir' | 'operatorToken'>,
): Promise<RunningNode> {
  const operatorUrl = read(join(dataDir, ADDRESS_FILE));
  if (operatorUrl === undefined)
    return {
      pid,
      operatorUrl,
      isReady: undefined,
      status: undefined,
      backup: undefined,
    };
  const token = operatorToken ?? read(join(dataDir, TOKEN_FILE));
  const [ready, status, backup] = await Promise.all([
    get(`${operatorUrl}/ready`, undefined),
    get(`${operatorUrl}/status`, token),
    get(`${operatorUrl}/backups/status`, token),
  ]);
  return {
    pid,
    operatorUrl,
    isReady: ready?.ok,
    status: status?.ok === true ? status.body : undefined,
    backup: backup?.ok === true ? backup.body : undefined,
  };
}

/** Undefined when there is no answer in JSON. */
async function get(url: string, token: string | undefined): Promise<{ ok: boolean; body: Json } | undefined> {
  const headers = {
    connection: 'close',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_MS) });
    return { ok: answer.ok, body: (await answer.json()) as Json };
  } catch {
    return undefined;
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}
