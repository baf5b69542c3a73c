/**
 * A request and its reply above the wire.
 *
 * Nothing above this folder knows which HTTP server is underneath: `uws.ts` (the default where it loads) and `node.ts`
 * both implement `Transport`, and one contract suite runs over both. The shape is a callback, not a
 * promise, because a purchase crosses it twice and a promise costs more than the rest of the crossing.
 *
 * Invariant: `onExchange` is called once per request and never throws into the server; exactly one `reply` leaves for
 * it; after the client has gone, `reply` does nothing.
 */

import type { RequestMeter } from '../../metrics/request-meter.ts';
import type { ReplyHeaders } from './reply-headers.ts';
import type { ReplyBody } from './reply-stream.ts';
import type { TlsIdentity } from './tls-identity.ts';

/** Why a body did not arrive whole. */
export type BodyFailure = 'too-large' | 'too-slow' | 'aborted';

/** Notes that the layers above make on a request, for the callers that are told of its end or of its failure. */
export interface RequestNotes {
  /** `X-Request-Id` of the answer; empty until it is given. */
  requestId: string;
  /** The form of its path, such as `/api/v1/buyer/orders/{id}`; empty when no route fits. */
  readonly route: string;
  /** The account of the API key that it came with; 0 when the key is nobody's. */
  accountId: number;
  /** The name of the operator whose token it came with; empty when that is nobody's. */
  operator: string;
  /** The client's address, as limits know it; empty when nobody asked. */
  clientAddress: string;
}

export interface Exchange extends RequestNotes {
  /** The method as sent, e.g. `POST`: methods are case-sensitive, `post` is another one. */
  readonly method: string;
  /**
   * The path as sent, still percent-encoded, without the query. A target that doesn't start with `/` is no path but of
   * another form, e.g. `*`, which the default server refuses by itself.
   */
  readonly path: string;
  /** The query, without its `?`, still percent-encoded; empty when there is none. Readable as long as `header`. */
  readonly query: string;

  /**
   * The value of a request header, `undefined` when absent or empty; the first when it was sent repeatedly.
   * `name` is lower case. Bytes beyond ASCII come as latin1, one character each.
   * May be called only until `onExchange` returns: the default server frees the head then.
   */
  header(name: string): string | undefined;

  /** All values of a header that may be sent repeatedly, in the order sent. As long as `header`, but slower. */
  headerValues(name: string): readonly string[];

  /**
   * The client's address as text, IPv4-mapped IPv6 written as IPv4. Once asked, the answer stays; first asked
   * after `finished`, it is empty, since fetching it for every request would cost a tenth of the whole crossing.
   */
  remoteAddress(): string;

  /**
   * Collects the body and calls back once, with the bytes (empty when there is no body) or with the reason
   * why there are none. Must be called, if at all, before `onExchange` returns, and only once. A body over
   * `maxBytes` is read to its end, up to a bound, and dropped, so that the connection stays usable for the
   * reply and the next request; beyond that bound the connection closes after the reply. A client has ten
   * seconds for every 160 KiB it sends; then the body is too slow, and the connection closes after the reply.
   */
  readBody(maxBytes: number, done: (body: Uint8Array | BodyFailure) => void): void;

  /**
   * Sends the one reply. `content-length` is written by the transport, except for 204 and 304, which have no
   * body. For HEAD the body's length is written, the body is not. A reply given while the body is still being read
   * leaves when the rest has arrived and was dropped.
   */
  reply(status: number, headers: ReplyHeaders, body: string | Uint8Array): void;

  /**
   * Sends the one reply with a body of any size, one chunk in memory at a time; chunks of 64 to 256 KiB suit.
   * Where nobody knows its length it is sent in HTTP's own chunks, and may last for as long as the source gives. For
   * HEAD nothing is read. `body.close` is called once in every case, also when the exchange is `finished` already. A
   * `read` that fails before the first byte gives the fallback reply, later it breaks the connection off, as does a
   * client that takes nothing for `idleTimeoutMs`; what the client took is seen only when the system's buffer for its
   * socket has room again, which can take some hundred KiB. `onFault` is told of failing reads and closes.
   */
  replyStream(status: number, headers: ReplyHeaders, body: ReplyBody): void;

  /**
   * The counter of the reply: the listener's meter, until `onExchange` puts that of a route here. Undefined: none
   * counts.
   */
  meter: RequestMeter | undefined;

  /** True once the client has gone or the reply has been sent. */
  readonly finished: boolean;
}

/** An exchange on node:http, which can also stream the request's body. */
export interface StreamingExchange extends Exchange {
  /**
   * The body as it arrives, with backpressure: while the consumer is busy the socket is paused and memory
   * stays bounded. Must be called, if at all, before `onExchange` returns, and only once. The iteration throws
   * `BodyAbortedError` when the client leaves, or sends nothing for `idleTimeoutMs` while it is not paused, or when
   * the reply was sent before the body's end.
   */
  streamBody(idleTimeoutMs: number): AsyncIterable<Uint8Array>;
}

export type OnExchange<Served extends Exchange = Exchange> = (exchange: Served) => void;

export class BodyAbortedError extends Error {
  constructor(message = 'the client left before its request body was complete') {
    super(message);
    this.name = 'BodyAbortedError';
  }
}

/** A request that has ended, or failed. */
export type EndedRequest = Readonly<RequestNotes> & Pick<Exchange, 'method' | 'path'>;

/**
 * Told of each request once: when its answer was handed over whole, or when the client had gone before. `status` is 0 when
 * there was no answer, `bytes` are those of the body, `startedMs` is on the clock of `performance`. Must not throw.
 */
export type OnEnded = (
  request: EndedRequest,
  status: number,
  bytes: number,
  startedMs: number,
  durationMs: number,
) => void;

/** A whole reply in the place of another one; undefined: that one leaves. */
export type InsteadOf = (
  request: EndedRequest,
) => { readonly status: number; readonly headers: ReplyHeaders; readonly body: string } | undefined;

export interface ListenOptions<Served extends Exchange = Exchange> {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** The certificate with which connections speak TLS 1.2 or 1.3, and nothing else. */
  readonly tls?: TlsIdentity | undefined;
  readonly onExchange: OnExchange<Served>;
  /**
   * The path that most requests come to, by POST: the default server knows them by itself, and makes no texts of the
   * method and the path of each. Without `:` and `*`, which would make a pattern of it.
   */
  readonly frequentPost?: string | undefined;
  /** Counts replies that no route counts. */
  readonly meter?: RequestMeter | undefined;
  /** Called when `onExchange` throws, after the transport has replied with `fallbackReply`. */
  readonly onFault: (error: unknown, request: EndedRequest) => void;
  /** Receiver of the number of connections, when no more are accepted for want of file descriptors. */
  readonly onCrowded?: ((connections: number) => void) | undefined;
  /** The receiver of ended requests. Without one, nothing is done for it. */
  readonly onEnded?: OnEnded | undefined;
  /** The reply that leaves in the place of one that is about to, if any. A streamed reply that has begun goes on. */
  readonly insteadOf?: InsteadOf | undefined;
  /** The 500 that answers a request whose handler threw. `requestId` may be empty. */
  readonly fallbackReply: (requestId: string) => { readonly headers: ReplyHeaders; readonly body: string };
  /**
   * The 400 for bytes that can't be read as a request, where the server underneath leaves that to us. Such a refusal
   * counts as a request of its own, from that address. Given the id of the request that it answers, it doesn't: that
   * one's exchange is told (`abandon`). The id may be empty.
   */
  readonly refusalReply: (
    message: string,
    address: string,
    answeredId?: string,
  ) => { readonly headers: ReplyHeaders; readonly body: string };
}

export interface Listener {
  /** The port in use. */
  readonly port: number;
  /** The open connections, and the requests without their whole answer. */
  readonly open: { readonly connections: number; readonly requests: number };
  /**
   * Connections that begin from here on are shown this certificate; those that are open stay as they are. Only where TLS
   * is spoken. Throws, and changes nothing, when the server underneath does not take it.
   */
  renew(identity: TlsIdentity): void;
  /**
   * Stops accepting, lets replies under way finish, closes idle keep-alive connections, and after `graceMs`
   * closes what is left. Resolves when no connection is open.
   */
  stop(graceMs: number): Promise<void>;
}

export interface Transport<Served extends Exchange = Exchange> {
  /** Rejects with an error whose `code` is `EADDRINUSE`, `EACCES` or `EADDRNOTAVAIL` when it can't listen. */
  listen(options: ListenOptions<Served>): Promise<Listener>;
}
