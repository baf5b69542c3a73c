/**
 * A request of a buyer whose key is known. Every answer, whichever route writes it, carries the fields of the account's
 * rate limit (SPEC.md §8), and a refusal raises the alert of its status (§5). Routes can't forget either: only `fail`
 * takes the status of an error.
 */
import { ALERT_ERRORS, type AlertStatus, type RefusedRequest } from '../../alerts/alert.ts';
import type { Account, ApiKey } from '../../engine/accounts.ts';
import { API_ERRORS } from '../../engine/api-errors.ts';
import type { RefusalCounter } from '../../metrics/refusal-counter.ts';
import { type ApiError, UNAUTHORIZED } from '../errors.ts';
import { type ContextServices, RequestContext, type SuccessStatus } from '../request-context.ts';
import type { ReplyHeaders } from '../transport/reply-headers.ts';
import type { ReplyBody } from '../transport/reply-stream.ts';
import type { Exchange } from '../transport/transport.ts';

export interface BuyerContextServices extends ContextServices {
  readonly refusals: Pick<RefusalCounter, 'count'>;
  /** Told of every 400, 401 and 429 (SPEC.md §5). */
  readonly onRefused: (request: RefusedRequest) => void;
}

export class BuyerContext extends RequestContext {
  readonly account: Account;
  /** The key that the request came with. */
  readonly key: ApiKey | null;
  readonly #limitHeaders: ReplyHeaders | undefined;
  readonly #onRefused: BuyerContextServices['onRefused'];
  readonly #refusals: BuyerContextServices['refusals'];

  /** `limitHeaders` is undefined when the account has no limit. */
  constructor(
    exchange: Exchange,
    requestId: string,
    id: number,
    account: Account,
    limitHeaders: ReplyHeaders | undefined,
    services: BuyerContextServices,
  ) {
    super(exchange, requestId, id, services);
    this.account = account;
    this.key = account.key;
    this.#limitHeaders = limitHeaders;
    this.#onRefused = services.onRefused;
    this.#refusals = services.refusals;
  }

  protected override write(status: number, headers: ReplyHeaders, body: string | Uint8Array): void {
    super.write(status, this.#withLimit(headers), body);
  }

  override replyStream(status: SuccessStatus, headers: ReplyHeaders, body: ReplyBody): void {
    super.replyStream(status, this.#withLimit(headers), body);
  }

  override fail(error: ApiError, status: number = API_ERRORS[error.code].status): void {
    const isAnswered = this.request.finished;
    super.fail(error, status);
    if (isAnswered) return;
    this.#refusals.count(error.code);
    if (!raisesAlert(status)) return;
    const { method, path } = this.request;
    const { requestId } = this;
    const { accountId } = this.account;
    this.#onRefused({ requestId, status, message: error.message, method, path, accountId });
  }

  /** The body may come long after the head, and the key may have died meanwhile. */
  override lateRefusal(): ApiError | undefined {
    return this.account.key === this.key ? undefined : UNAUTHORIZED;
  }

  #withLimit(headers: ReplyHeaders): ReplyHeaders {
    return this.#limitHeaders === undefined ? headers : [...headers, ...this.#limitHeaders];
  }
}

function raisesAlert(status: number): status is AlertStatus {
  return status in ALERT_ERRORS;
}
