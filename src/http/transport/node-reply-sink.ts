/** Hands a streamed reply to node:http, which keeps the bytes until the system has taken them. */
import type { ServerResponse } from 'node:http';
import type { ReplySink } from './reply-stream.ts';

/** What of the exchange a streamed reply needs. */
export interface NodeReplyHost {
  writeHead(): void;
  refuse(): void;
  close(): void;
}

export class NodeReplySink implements ReplySink {
  readonly #response: ServerResponse;
  readonly #host: NodeReplyHost;
  #begun = false;

  constructor(response: ServerResponse, host: NodeReplyHost) {
    this.#response = response;
    this.#host = host;
  }

  write(bytes: Uint8Array, last: boolean, taken: () => void): void {
    this.#begin();
    if (last) this.#response.end(bytes, taken);
    else this.#response.write(bytes, taken);
  }

  end(): void {
    this.#begin();
    this.#response.end();
  }

  refuse(): void {
    this.#host.refuse();
  }

  keepWaiting(): void {
    // node has no limit of its own here.
  }

  close(): void {
    this.#host.close();
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#host.writeHead();
  }
}
