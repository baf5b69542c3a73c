import { DESTINATION_REFUSALS, type DestinationRefusal } from '../destination/destination-refusal.ts';

/** The outcome of one attempt. Plain data: it is stored, and passes between threads. */
export interface DeliveryResult {
  /** The HTTP status of the receiver's answer; absent when there was none in time. */
  readonly status?: number;
  /** The answer's first 1,024 bytes as UTF-8; empty when it has no body. There with `status`. */
  readonly responseHead?: string;
  /** The failure; there exactly when there is no `status`. */
  readonly error?: DeliveryError;
  /** Whole milliseconds, look-up and connecting included. */
  readonly durationMs: number;
}

export interface DeliveryError {
  readonly code: DeliveryErrorCode;
  /** For the operator, on one line, at most 200 characters. */
  readonly message: string;
}

/**
 * `destination`: the host must not be dialled, or does not resolve; `connect`: no TCP connection; `tls`: no
 * trust in the receiver's certificate, or no TLS at all; `answer`: the connection broke, or what came was no
 * answer; `timeout`: no answer within the time.
 *
 * `secret`: the master key doesn't open what it would be signed with; `worker`: the program failed.
 *
 * `replaced`: broken off, because the webhook was replaced or deleted meanwhile; the receiver is not to blame.
 *
 * `busy` and `closed` are no attempts: nothing was sent, and the receiver is not to blame. Try again later. Neither
 * is `outdated`: the webhook was replaced or deleted before anything was sent.
 */
export type DeliveryErrorCode =
  | 'destination'
  | 'connect'
  | 'tls'
  | 'answer'
  | 'timeout'
  | 'secret'
  | 'worker'
  | 'replaced'
  | 'busy'
  | 'closed'
  | 'outdated';

const MAX_MESSAGE_CHARS = 200;

/** An attempt's failure on its way through code that passes on errors. */
export class DeliveryFailure extends Error {
  readonly code: DeliveryErrorCode;

  constructor(code: DeliveryErrorCode, message: string, options?: ErrorOptions) {
    super(message.replaceAll(/\s+/g, ' ').slice(0, MAX_MESSAGE_CHARS), options);
    this.name = 'DeliveryFailure';
    this.code = code;
  }

  static refused(refusal: DestinationRefusal): DeliveryFailure {
    const code = refusal === 'lookup-busy' ? 'busy' : 'destination';
    return new DeliveryFailure(code, DESTINATION_REFUSALS[refusal]);
  }

  /** `doing` begins the message; the receiver may have written what follows (names in a certificate). */
  static because(code: DeliveryErrorCode, doing: string, cause: unknown): DeliveryFailure {
    const { code: reason, message } = cause as { code?: unknown; message?: unknown };
    const parts = [reason, message].filter((part) => typeof part === 'string' && part !== '');
    return new DeliveryFailure(code, `${doing}: ${parts.join(' ')}`, { cause });
  }
}

/** Success is any 2xx (SPEC.md §6). */
export function isDelivered(result: Pick<DeliveryResult, 'status'>): boolean {
  return result.status !== undefined && result.status >= 200 && result.status <= 299;
}
