/**
 * The parts of the operators' listener beside its calls: the ways in, by the owner's token, by sessions with the file
 * that they lie in, or by codes that open one; and the console's files.
 */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { OperatorAuth } from '../http/operator/operator-auth.ts';
import { ConsoleCodes } from '../http/operator/sessions/console-codes.ts';
import { OperatorSessions } from '../http/operator/sessions/operator-sessions.ts';
import { type KeptSessions, parseSessions, sessionText } from '../http/operator/sessions/session-text.ts';
import { type ConsolePage, NO_BUNDLE, openConsolePage } from '../http/pages/console-page.ts';
import { KeptFile } from '../persistence/disk/kept-file.ts';
import { SESSIONS_FILE } from '../persistence/folder/data-folder.ts';
import type { DataKeys } from '../persistence/keys/data-keys.ts';
import { codeOf } from '../shared/error-code.ts';
import { loadOperatorToken } from './operator-token.ts';

export interface OperatorParts {
  /** The token of the owner `root`. */
  readonly operatorToken: string;
  readonly auth: OperatorAuth;
  readonly sessions: OperatorSessions;
  readonly codes: ConsoleCodes;
  readonly consolePage: ConsolePage;
}

/** Throws an error whose message is one line that says what is wrong and what to do. */
export function openOperatorParts(config: Config, keys: DataKeys, log: Logger): OperatorParts {
  const operatorToken = loadOperatorToken(config.dataDir, config.operatorToken);
  const monotonicMs = () => performance.now();
  const sessions = openSessions(config.dataDir, rootMark(operatorToken, keys), { log, monotonicMs });
  const auth = new OperatorAuth({ rootToken: operatorToken, clock: Date.now, monotonicMs, sessions });
  const consolePage = openConsolePage();
  return { operatorToken, auth, sessions, codes: new ConsoleCodes(monotonicMs), consolePage };
}

/** Tells once the node listens that the console's files are missing, if so. */
export function tellMissing({ consolePage }: OperatorParts, log: Logger): void {
  if (!consolePage.isThere) log.info(NO_BUNDLE);
}

/** `root`'s are forgotten when his token is another one than `mark` was made of. */
function openSessions(
  folder: string,
  mark: string,
  { log, monotonicMs }: { readonly log: Logger; readonly monotonicMs: () => number },
): OperatorSessions {
  const path = join(folder, SESSIONS_FILE);
  const kept = readSessions(path, log);
  const standing = kept.sessions.filter(({ tokenSha256 }) => tokenSha256 !== null || kept.rootMark === mark);
  const file = new KeptFile(path, () => sessionText({ rootMark: mark, ...sessions.kept }));
  const sessions: OperatorSessions = new OperatorSessions({
    kept: { lastId: kept.lastId, sessions: standing },
    clock: Date.now,
    monotonicMs,
    keep: () => file.keep(),
    onUnkept: (error) =>
      log.warn({ err: error }, `cannot write ${path}: sessions may end early at a restart`),
  });
  return sessions;
}

/** Sessions of the file. A file that can't be read keeps no node from starting: people sign in again. */
function readSessions(path: string, log: Logger): KeptSessions {
  const none = { rootMark: '', lastId: 0, sessions: [] };
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT';
    if (!isMissing) log.warn({ err: error }, `cannot read ${path}: everybody must sign in again`);
    return none;
  }
  const kept = parseSessions(text);
  if (kept === undefined) log.warn(`${path} is damaged: everybody must sign in again`);
  return kept ?? none;
}

/**
 * An owner may choose a token that can be guessed; so a copy of the folder without the master key must not have a plain
 * hash of it, to try guesses against.
 */
function rootMark(operatorToken: string, { fingerprintKey }: DataKeys): string {
  return createHmac('sha256', fingerprintKey).update(`root's token: ${operatorToken}`).digest('hex');
}
