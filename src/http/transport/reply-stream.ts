/**
 * The body of a streamed reply, between the source it comes from and the socket it goes to.
 *
 * One chunk is under way at a time: the next is read when the socket has taken the last, so a slow reader
 * costs one chunk of memory and no more. An async iterator would be the shorter contract, but one that was
 * never started frees nothing when it is closed, and a file is open before it is known whether its bytes are
 * wanted.
 *
 * Invariant: the client gets exactly the announced bytes, or where none were announced all that was read, or a broken
 * connection; never fewer bytes that look whole; `close` is called once, whatever happens, and not while a `read` is
 * under way.
 */

export interface ReplySource {
  /**
   * The next bytes, at least one; `undefined` after the last. Called again only when the socket has taken
   * these, so their memory may be used anew. A rejection breaks the connection off.
   */
  read(): Promise<Uint8Array | undefined>;
  /** Called exactly once, also when no byte was wanted. */
  close(): Promise<void>;
}

export interface ReplyBody extends ReplySource {
  /**
   * The value of `content-length`: `read` must give exactly as much. Undefined when nobody knows where the body ends.
   */
  readonly lengthBytes: number | undefined;
  /** How long a reader may take nothing before its connection is closed. At least a few seconds. */
  readonly idleTimeoutMs: number;
  /** The reader has gone. A `read` that waits for something to happen should end now; `close` follows it. */
  abandon?(): void;
}

/** Where the bytes go. Used only while the client is there. */
export interface ReplySink {
  /**
   * Hands bytes to the socket, with the head before the first and the reply's end behind the last. Not
   * called again before `taken`, which may be called at once.
   */
  write(bytes: Uint8Array, last: boolean, taken: () => void): void;
  /** Ends a reply whose length was not announced. */
  end(): void;
}

/** The exchange that the reply belongs to. */
export interface ReplyConnection {
  /** Answers with the fallback reply: nothing has been written yet. */
  refuse(): void;
  /** Tells the server underneath that this client may take a little longer. */
  keepWaiting(): void;
  /** Closes the connection now. */
  close(): void;
  onFault(error: unknown): void;
  /** So many bytes were taken, and no more will be. Status 0: not even the head was sent. */
  ended(status: number, bytes: number): void;
}

/** uWebSockets.js closes a connection that has taken nothing for 8 s at the least, unless it is told to wait. */
const KEEP_WAITING_EVERY_MS = 4_000;

export class ReplyStream {
  readonly #body: ReplyBody;
  readonly #sink: ReplySink;
  readonly #connection: ReplyConnection;
  readonly #status: number;
  #left: number;
  #sentBytes = 0;
  #started = false;
  #begun = false;
  #aborted = false;
  #whenTaken: (() => void) | undefined;
  #waitingSinceMs = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `status` is that of the reply's head. */
  constructor(body: ReplyBody, sink: ReplySink, connection: ReplyConnection, status: number) {
    this.#body = body;
    this.#sink = sink;
    this.#connection = connection;
    this.#status = status;
    this.#left = body.lengthBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Sends the reply. Never rejects. */
  async run(): Promise<void> {
    this.#started = true;
    try {
      await this.#pump();
    } catch (error) {
      this.#fail(error);
    }
    clearTimeout(this.#timer);
    await this.#close();
  }

  /** The client has gone, or wants no bytes. */
  abort(): void {
    this.#aborted = true;
    this.#taken();
    this.#body.abandon?.();
    if (this.#started) return;
    this.#started = true;
    void this.#close();
  }

  async #pump(): Promise<void> {
    while (this.#left > 0 && !this.#aborted) {
      const chunk = await this.#body.read();
      if (this.#aborted) return;
      if (chunk === undefined && this.#isOpenEnded) return this.#sink.end();
      const bytes = chunk?.byteLength ?? 0;
      if (chunk === undefined || bytes === 0 || bytes > this.#left) {
        throw new Error(
          `a reply of ${this.#body.lengthBytes} bytes got ${bytes} where ${this.#left} were left`,
        );
      }
      await this.#write(chunk);
      this.#left -= bytes;
      if (!this.#aborted) this.#sentBytes += bytes;
    }
  }

  get #isOpenEnded(): boolean {
    return this.#body.lengthBytes === undefined;
  }

  #write(chunk: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#begun = true;
      this.#whenTaken = resolve;
      this.#waitingSinceMs = performance.now();
      this.#timer ??= this.#watch(this.#body.idleTimeoutMs);
      this.#sink.write(chunk, chunk.byteLength === this.#left, () => this.#taken());
    });
  }

  #taken(): void {
    const whenTaken = this.#whenTaken;
    this.#whenTaken = undefined;
    whenTaken?.();
  }

  #fail(error: unknown): void {
    if (this.#aborted) return;
    if (this.#begun) this.#connection.close();
    else this.#connection.refuse();
    this.#connection.onFault(error);
  }

  #watch(delayMs: number): NodeJS.Timeout {
    return setTimeout(() => this.#checkIdle(), Math.min(delayMs, KEEP_WAITING_EVERY_MS));
  }

  #checkIdle(): void {
    const idleMs = this.#whenTaken === undefined ? 0 : performance.now() - this.#waitingSinceMs;
    // A timer may fire a fraction of a millisecond early.
    if (idleMs >= this.#body.idleTimeoutMs - 1) {
      this.#connection.close();
      return;
    }
    if (this.#whenTaken !== undefined || this.#isOpenEnded) this.#connection.keepWaiting();
    this.#timer = this.#watch(this.#body.idleTimeoutMs - idleMs);
  }

  async #close(): Promise<void> {
    const isUnsent = this.#aborted && !this.#begun;
    this.#connection.ended(isUnsent ? 0 : this.#status, this.#sentBytes);
    try {
      await this.#body.close();
    } catch (error) {
      this.#connection.onFault(error);
    }
  }
}
