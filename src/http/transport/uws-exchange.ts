/**
 * One request on uWebSockets.js, from its head to its reply.
 *
 * The server underneath gives nothing back that was not handled: a throw from one of its callbacks ends the
 * process, its response object throws once the client has gone or the reply is complete, and its `end` buffers
 * without bound for a client that sends requests and reads no replies. So every callback is guarded, `#alive`
 * is asked before a late call, and replies go through `tryEnd`, which leaves a request pending until the
 * socket has taken the body: a further request behind it then closes the connection. An empty or HEAD reply
 * has no byte to see that by, so it closes its connection.
 */
import { SocketAddress } from 'node:net';
import { headerLines, type ReplyHeaders } from './reply-headers.ts';
import { isBodiless, statusLine } from './reply-status.ts';
import type { ReplySink } from './reply-stream.ts';
import type { RequestBody } from './request-body.ts';
import { type ExchangeHost, ServerExchange } from './server-exchange.ts';
import type { ListenOptions } from './transport.ts';
import type { UwsRequest, UwsResponse } from './uws-binding.ts';
import { UwsReplySink } from './uws-reply-sink.ts';

/** Up to here a reply surely fits the socket's buffer, so that `end` may close the connection behind it. */
const SMALL_REPLY_BYTES = 16 * 1024;

/** How long a client may take to read a reply to HEAD. */
const LINGER_MS = 1_000;

export interface UwsExchangeHost extends ExchangeHost {
  readonly options: ListenOptions;
  /** The reply has left, or the client has. */
  exchangeEnded(): void;
}

export class UwsExchange extends ServerExchange<UwsExchangeHost> {
  readonly #response: UwsResponse;
  readonly #request: UwsRequest;
  /** Inside one of the server's callbacks for this socket, where writes are gathered anyway. */
  #corked = true;
  #paused = false;
  /** The server's response object may still be used. */
  #alive = true;
  /** The client still sends: closed at once, its connection would be reset under the unread reply. */
  #lingers = false;

  constructor(
    host: UwsExchangeHost,
    response: UwsResponse,
    request: UwsRequest,
    method: string,
    path: string,
  ) {
    super(host, method, path);
    this.#response = response;
    this.#request = request;
    response.onAborted(() => {
      this.#end();
      this.abandon();
    });
  }

  override get query(): string {
    return this.#head().getQuery() ?? '';
  }

  override run(): void {
    super.run();
    this.#corked = false;
  }

  override header(name: string): string | undefined {
    const value = this.#head().getHeader(name);
    return value === '' ? undefined : value;
  }

  override headerValues(name: string): readonly string[] {
    const values: string[] = [];
    this.#head().forEach((sent, value) => {
      if (sent === name) values.push(value);
    });
    return values;
  }

  override resume(): void {
    // Resuming what is not paused makes the server deaf to this socket.
    if (!this.#alive || !this.#paused) return;
    this.#paused = false;
    this.#response.resume();
  }

  override keepWaiting(): void {
    // Its own limit, 16 KiB a second over ten seconds, begins anew whenever reading is resumed.
    this.#pause();
    this.resume();
  }

  override giveUp(): void {
    // While it is paused the client can read the reply; ten seconds after it the server closes the socket.
    this.closeAfterReply();
    this.#lingers = true;
    this.#pause();
  }

  override close(): void {
    if (this.#alive) this.#response.close();
  }

  #pause(): void {
    if (!this.#alive || this.#paused) return;
    this.#paused = true;
    this.#response.pause();
  }

  #head(): UwsRequest {
    this.requireHead();
    return this.#request;
  }

  protected override handOver(): void {
    this.host.options.onExchange(this);
  }

  protected override addressNow(): string {
    return addressText(this.#response);
  }

  protected override startReading(body: RequestBody): void {
    this.#response.onData((chunk, last) => {
      this.#corked = true;
      this.push(body, new Uint8Array(chunk), last);
      this.#corked = false;
    });
  }

  /**
   * When the client wants the connection closed, the server underneath closes it behind the reply, and a client that is
   * still sending a body loses the reply. So that is read before; an announced one that waits for leave will not come.
   */
  protected override mustReadUnasked(): boolean {
    if (!/\bclose\b/i.test(this.header('connection') ?? '') || this.header('expect') !== undefined)
      return false;
    const length = this.header('content-length') ?? '0';
    return length !== '0' || this.header('transfer-encoding') !== undefined;
  }

  #end(): void {
    this.#alive = false;
    this.host.exchangeEnded();
  }

  protected override openSink(
    status: number,
    headers: ReplyHeaders,
    lengthBytes: number | undefined,
  ): ReplySink {
    return new UwsReplySink(this.#response, lengthBytes, {
      writeHead: () => {
        this.#writeHead(status, headers);
        if (this.closes) this.#response.writeHeader('connection', 'close');
      },
      ended: () => this.#end(),
    });
  }

  protected override write(status: number, headers: ReplyHeaders, body: string | Uint8Array): void {
    if (!this.#alive) return;
    if (this.#corked) this.#write(status, headers, body);
    else this.#response.cork(() => this.#write(status, headers, body));
  }

  #writeHead(status: number, headers: ReplyHeaders): void {
    this.#response.writeStatus(statusLine(status) + headerLines(headers));
  }

  #write(status: number, headers: ReplyHeaders, body: string | Uint8Array): void {
    const response = this.#response;
    this.#writeHead(status, headers);
    if (isBodiless(status)) {
      this.#endWithoutBody();
    } else if (body.length === 0) {
      response.pause();
      response.end(body, true);
      this.#end();
    } else if (this.method === 'HEAD') {
      this.#announceBody(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength);
    } else if (this.closes && !this.#lingers && body.length <= SMALL_REPLY_BYTES) {
      response.end(body, true);
      this.#end();
    } else {
      if (this.closes) response.writeHeader('connection', 'close');
      this.#writeBody(body);
    }
  }

  #writeBody(body: string | Uint8Array): void {
    const [, done] = this.#response.tryEnd(body);
    if (done) {
      this.#end();
      return;
    }
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    this.#response.onWritable((offset) => {
      const [ok, complete] = this.#response.tryEnd(bytes.subarray(offset), bytes.byteLength);
      if (complete) this.#end();
      return ok;
    });
  }

  protected override writeHeadOnly(
    status: number,
    headers: ReplyHeaders,
    lengthBytes: number | undefined,
  ): void {
    this.#response.cork(() => {
      this.#writeHead(status, headers);
      if (lengthBytes === undefined) this.#endWithoutBody();
      else this.#announceBody(lengthBytes);
    });
  }

  /** Should the client not close, the server does after ten seconds. */
  #endWithoutBody(): void {
    this.#response.writeHeader('connection', 'close');
    this.#response.pause();
    this.#response.endWithoutBody();
    this.#end();
  }

  /**
   * Announces a body of that length and closes instead of sending it: `endWithoutBody(length)` never completes.
   * Not at once, since the client may still be sending a body, and the reset would take the reply with it.
   */
  #announceBody(bodyBytes: number): void {
    this.#response.writeHeader('connection', 'close');
    this.#response.tryEnd('', bodyBytes);
    setTimeout(() => this.close(), LINGER_MS);
  }
}

/** The client's address as the program gets it: IPv6 in its short form, IPv4-mapped IPv6 as IPv4. */
function addressText(response: UwsResponse): string {
  const address = new DataView(response.getRemoteAddress());
  const isV4 = address.byteLength === 4;
  if (isV4 || isMapped(address)) return ipv4Text(address, isV4 ? 0 : 12);
  const text = Buffer.from(response.getRemoteAddressAsText()).toString('latin1');
  return new SocketAddress({ address: text, family: 'ipv6' }).address;
}

function isMapped(address: DataView): boolean {
  return (
    address.byteLength === 16 &&
    address.getUint32(0) === 0 &&
    address.getUint32(4) === 0 &&
    address.getUint32(8) === 0xffff
  );
}

function ipv4Text(address: DataView, at: number): string {
  const byte = (offset: number) => address.getUint8(at + offset);
  return `${byte(0)}.${byte(1)}.${byte(2)}.${byte(3)}`;
}
