/** Downloads as a program would make them: bytes and headers as they came. */
import { connect, type Socket } from 'node:net';
import type { BuyerBody } from '../support/buyer-client.ts';
import { ok } from '../support/operator-client.ts';
import { patternBytes } from '../support/pattern-bytes.ts';
import { type Buyer, known, type Scene } from './scene.ts';

export interface Download {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
}

export interface FileOnSale {
  readonly productId: number;
  readonly bytes: Buffer;
}

const REPLY_TIMEOUT_MS = 30_000;

/** A product at 3.50 that delivers `sizeBytes` of its own. */
export async function fileProduct(
  scene: Scene,
  sizeBytes: number,
  contentType?: string,
): Promise<FileOnSale> {
  const productId = await scene.product({ type: 'file' });
  const bytes = patternBytes(sizeBytes, productId);
  await ok(scene.operator.setFile(productId, bytes, contentType));
  return { productId, bytes };
}

/** A product like that, and an order of `buyer` for it. */
export async function orderedFile(scene: Scene, buyer: Buyer, sizeBytes: number, contentType?: string) {
  const file = await fileProduct(scene, sizeBytes, contentType);
  return { ...file, orderId: await buyFile(scene, buyer, file.productId) };
}

/** Buys one; returns the order's id. */
export async function buyFile(scene: Scene, buyer: Buyer, productId: number): Promise<number> {
  const reply = await scene.buy(buyer, productId);
  if (reply.status !== 201) throw new Error(reply.text);
  return known(reply.body.orderId);
}

export async function download(
  scene: Scene,
  buyer: Buyer,
  orderId: number,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Download> {
  const path = `/orders/${orderId}/download`;
  const response = await fetch(scene.server.buyerUrl + path, {
    method,
    headers: { 'x-api-key': buyer.apiKey, ...headers },
    signal: AbortSignal.timeout(REPLY_TIMEOUT_MS),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const { status } = response;
  const text = bytes.toString();
  const body = (status < 400 || text === '' ? {} : JSON.parse(text)) as BuyerBody;
  scene.answers.check(method, path, { status, headers: Object.fromEntries(response.headers), text, body });
  return { status, headers: response.headers, bytes };
}

/** A client that sends its request and then reads only what it is told to. */
export class UnhurriedClient {
  readonly #socket: Socket;
  readonly #chunks: Buffer[] = [];
  #receivedBytes = 0;
  #headBytes = 0;
  #isOver = false;
  #changed: () => void = () => {};

  constructor(scene: Scene, buyer: Buyer, orderId: number) {
    const { hostname, port, pathname } = new URL(scene.server.buyerUrl);
    const socket = connect(Number(port), hostname);
    const path = `${pathname}/orders/${orderId}/download`;
    socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${buyer.apiKey}\r\n\r\n`);
    // A reset is one way of closing; the tests look at what came before.
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => this.#received(chunk));
    socket.on('close', () => {
      this.#isOver = true;
      this.#changed();
    });
    socket.pause();
    this.#socket = socket;
  }

  /** Reads until there are so many bytes of the body, or the connection is over; then stops reading. */
  async readBody(bytes: number): Promise<Buffer> {
    this.#socket.resume();
    while (!this.#isOver && (this.#headBytes === 0 || this.#receivedBytes - this.#headBytes < bytes)) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
    this.#socket.pause();
    return Buffer.concat(this.#chunks).subarray(this.#headBytes);
  }

  /** The reply's head, once there is a byte of its body. */
  async head(): Promise<string> {
    await this.readBody(1);
    return Buffer.concat(this.#chunks).toString('latin1', 0, this.#headBytes);
  }

  leave(): void {
    this.#socket.destroy();
  }

  #received(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#receivedBytes += chunk.length;
    if (this.#headBytes === 0) {
      const end = Buffer.concat(this.#chunks).indexOf('\r\n\r\n');
      if (end !== -1) this.#headBytes = end + 4;
    }
    this.#changed();
  }
}
