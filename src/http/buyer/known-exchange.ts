/**
 * The exchange of a buyer whose key is known, as its route sees it. Whatever answer leaves, whoever writes it,
 * carries the fields of the account's rate limit (SPEC.md §8) and raises the alert that belongs to its status
 * (§5). Routes need not think of either, and can't forget them.
 */

import { ALERT_ERRORS, type AlertStatus } from '../../alerts/alert.ts';
import type { ReplyHeaders } from '../transport/reply-headers.ts';
import type { ReplyBody } from '../transport/reply-stream.ts';
import type { BodyFailure, Exchange } from '../transport/transport.ts';
import type { OnRefused } from './buyer-route.ts';

export class KnownExchange implements Exchange {
  readonly #exchange: Exchange;
  readonly #requestId: string;
  readonly #accountId: number;
  readonly #limitHeaders: ReplyHeaders | undefined;
  readonly #onRefused: OnRefused;

  /** `limitHeaders` is undefined when the account has no limit. */
  constructor(
    exchange: Exchange,
    requestId: string,
    accountId: number,
    limitHeaders: ReplyHeaders | undefined,
    onRefused: OnRefused,
  ) {
    this.#exchange = exchange;
    this.#requestId = requestId;
    this.#accountId = accountId;
    this.#limitHeaders = limitHeaders;
    this.#onRefused = onRefused;
  }

  get method(): string {
    return this.#exchange.method;
  }

  get path(): string {
    return this.#exchange.path;
  }

  get query(): string {
    return this.#exchange.query;
  }

  get finished(): boolean {
    return this.#exchange.finished;
  }

  header(name: string): string | undefined {
    return this.#exchange.header(name);
  }

  headerValues(name: string): readonly string[] {
    return this.#exchange.headerValues(name);
  }

  remoteAddress(): string {
    return this.#exchange.remoteAddress();
  }

  readBody(maxBytes: number, done: (body: Uint8Array | BodyFailure) => void): void {
    this.#exchange.readBody(maxBytes, done);
  }

  streamBody(idleTimeoutMs: number): AsyncIterable<Uint8Array> {
    return this.#exchange.streamBody(idleTimeoutMs);
  }

  reply(status: number, headers: ReplyHeaders, body: string | Uint8Array): void {
    const isRefusal = status >= 400 && !this.#exchange.finished;
    this.#exchange.reply(status, this.#withLimit(headers), body);
    if (isRefusal && raisesAlert(status)) this.#raise(status, body);
  }

  /** For what was asked for, never for a refusal. */
  replyStream(status: number, headers: ReplyHeaders, body: ReplyBody): void {
    this.#exchange.replyStream(status, this.#withLimit(headers), body);
  }

  #withLimit(headers: ReplyHeaders): ReplyHeaders {
    return this.#limitHeaders === undefined ? headers : [...headers, ...this.#limitHeaders];
  }

  #raise(status: AlertStatus, body: string | Uint8Array): void {
    const { method, path } = this.#exchange;
    const [requestId, accountId] = [this.#requestId, this.#accountId];
    this.#onRefused({ requestId, status, message: messageOf(body), method, path, accountId });
  }
}

function raisesAlert(status: number): status is AlertStatus {
  return status in ALERT_ERRORS;
}

/** Its error's text, which nothing but the finished body holds by now. */
function messageOf(body: string | Uint8Array): string {
  if (typeof body !== 'string') return '';
  return (JSON.parse(body) as { readonly message: string }).message;
}
