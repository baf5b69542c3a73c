/**
 * Hands a streamed reply to uWebSockets.js.
 *
 * `tryEnd` takes what the socket takes and keeps nothing; the rest goes when the socket has room. The call
 * that completes the length ends the reply and with it the response object. An empty `tryEnd` may end it, too,
 * so none is made. A body of unknown length goes by `write`, of which the server keeps what the socket doesn't take:
 * a chunk at most, since the next one waits for the socket.
 */
import type { ReplySink } from './reply-stream.ts';
import type { UwsResponse } from './uws-binding.ts';

/** The part of the exchange that a streamed reply needs. */
export interface UwsReplyHost {
  writeHead(): void;
  /** The reply is complete: the response object is dead. */
  ended(): void;
}

export class UwsReplySink implements ReplySink {
  readonly #response: UwsResponse;
  readonly #host: UwsReplyHost;
  readonly #lengthBytes: number | undefined;
  #begun = false;
  /** Where in the body the bytes under way begin. */
  #offset = 0;
  #bytes: Uint8Array | undefined;
  #taken: () => void = () => {};

  constructor(response: UwsResponse, lengthBytes: number | undefined, host: UwsReplyHost) {
    this.#response = response;
    this.#host = host;
    this.#lengthBytes = lengthBytes;
  }

  write(bytes: Uint8Array, _last: boolean, taken: () => void): void {
    this.#bytes = bytes;
    this.#taken = taken;
    this.#response.cork(() => {
      if (!this.#begun) this.#begin();
      if (this.#lengthBytes === undefined) this.#writeChunk(bytes);
      else this.#try(bytes, bytes);
    });
  }

  end(): void {
    this.#response.cork(() => {
      if (!this.#begun) this.#begin();
      this.#response.end();
      this.#host.ended();
    });
  }

  #begin(): void {
    this.#begun = true;
    this.#response.onWritable((offset) => this.#writable(offset));
    this.#host.writeHead();
  }

  /** Also called when nothing is under way. */
  #writable(offset: number): boolean {
    const bytes = this.#bytes;
    if (bytes === undefined) return true;
    if (this.#lengthBytes === undefined) return this.#chunkTaken();
    return this.#try(bytes, bytes.subarray(offset - this.#offset));
  }

  #writeChunk(bytes: Uint8Array): void {
    if (this.#response.write(bytes)) this.#chunkTaken();
  }

  #chunkTaken(): boolean {
    this.#bytes = undefined;
    this.#taken();
    return true;
  }

  #try(bytes: Uint8Array, rest: Uint8Array): boolean {
    if (rest.byteLength > 0) {
      const [ok, complete] = this.#response.tryEnd(rest, this.#lengthBytes);
      if (complete) this.#host.ended();
      if (!ok && !complete) return false;
    }
    this.#offset += bytes.byteLength;
    this.#bytes = undefined;
    this.#taken();
    return true;
  }
}
