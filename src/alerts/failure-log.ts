/**
 * Requests that failed, in the node's log: every answer with a status from 500 on, with its request id and its cause, but
 * for what a follower says of itself.
 *
 * A fault of the program is an error with its stack; a failure that is known to happen (a full disk, a supplier that
 * fails, a node that stops) is a warning with its reason. A flood is bounded: a few lines a second, the others are
 * counted.
 */
import { type Logger, stdSerializers } from 'pino';
import type { ErrorCode } from '../engine/api-errors.ts';
import { LinesPerSecond } from './lines-per-second.ts';

const LINES_PER_SECOND = 10;
const CROWDED_INTERVAL_MS = 60_000;
/** All nodes of a cluster but one answer this all the time: balancers ask each of them twice a second. */
const EXPECTED: ErrorCode = 'NOT_LEADING';

/** As much of a request as the log says. */
export interface FailedRequest {
  readonly requestId: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** 0 for none. */
  readonly accountId: number;
  /** Empty for none. */
  readonly operator: string;
}

/** An answer that is known to happen. */
export interface Failure {
  readonly code: string;
  /** The message that the client got. */
  readonly message: string;
  /** The cause, which the client was not told. */
  readonly cause?: string | undefined;
}

export class FailureLog {
  readonly #log: Logger;
  readonly #bound: LinesPerSecond;
  #lastStack: string | undefined;
  #crowdedAgainMs = 0;

  constructor(log: Logger) {
    // By itself the logger gives all that has a message a stack.
    this.#log = log.child({}, { serializers: { err: (told: unknown) => told } });
    this.#bound = new LinesPerSecond(LINES_PER_SECOND, (failuresLeftOut) =>
      log.warn({ failuresLeftOut }, 'too many failures to log each one; the others are counted here'),
    );
  }

  /** Connections of buyers are refused now; told once a minute at the most. */
  crowded(connections: number): void {
    const nowMs = performance.now();
    if (nowMs < this.#crowdedAgainMs) return;
    this.#crowdedAgainMs = nowMs + CROWDED_INTERVAL_MS;
    this.#log.error(
      { connections },
      'too few file descriptors: new connections of buyers are refused until some have ended; allow the process more (`ulimit -n`, or LimitNOFILE of its service)',
    );
  }

  /** A fault of the program. Without `request`, it was behind all requests. */
  fault(error: unknown, request?: FailedRequest): void {
    if (!this.#bound.take(kindOf(error))) return;
    this.#log.error({ ...described(request), err: this.#shortened(error) }, 'a request failed');
  }

  failed({ code, message, cause }: Failure, status: number, request: FailedRequest): void {
    if (code === EXPECTED || !this.#bound.take(code)) return;
    this.#log.warn(
      { ...described(request), status, error: code, reason: cause ?? message },
      'a request was answered with a failure',
    );
  }

  stop(): void {
    this.#bound.stop();
  }

  /** A stack that came just before, in the same second, is left out: it is ten times as long as the rest. */
  #shortened(error: unknown): unknown {
    if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
    const isKnown = this.#bound.lines > 1 && error.stack === this.#lastStack;
    this.#lastStack = error.stack;
    return isKnown ? { type: kindOf(error), message: error.message } : stdSerializers.err(error);
  }
}

function kindOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function described(request: FailedRequest | undefined) {
  if (request === undefined) return {};
  const { requestId, method, path, accountId, operator } = request;
  return {
    requestId,
    method,
    path,
    ...(accountId !== 0 && { accountId }),
    ...(operator !== '' && { operator }),
  };
}
