/**
 * A supplier that answers every purchase with an item after a fixed time, in a process of its own; items that it sells
 * can be told apart from all others, by a serial number.
 *
 * The supplier checks nothing and forgets everything at once, so that it takes as little of the machine as it can.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { itemText } from './item-ledger.ts';

export type ToLateSupplier =
  | { readonly kind: 'serve'; readonly answerMs: number; readonly firstSerial: number }
  | { readonly kind: 'report' };

export type FromLateSupplier =
  | { readonly kind: 'serving'; readonly url: string }
  | ({ readonly kind: 'report' } & SupplierReport);

export interface SupplierReport {
  /** Purchases that have been asked for and not been answered. */
  readonly underWay: number;
  readonly sold: number;
  /** Connections that it has accepted so far. */
  readonly accepted: number;
}

/** Longer than any window: it is never the one who closes a connection. */
const idleMs = 10 * 60_000;

class LateSupplier {
  #answerMs = 0;
  #nextSerial = 0;
  #underWay = 0;
  #sold = 0;
  #accepted = 0;

  serve(answerMs: number, firstSerial: number): void {
    this.#answerMs = answerMs;
    this.#nextSerial = firstSerial;
    const server = createServer({ keepAliveTimeout: idleMs }, (request, reply) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.method === 'GET') send(reply, { available: 'unlimited' });
        else this.#sell(JSON.parse(Buffer.concat(chunks).toString()) as { sku: string }, reply);
      });
    });
    server.on('connection', () => {
      this.#accepted += 1;
    });
    server.listen({ host: '127.0.0.1', port: 0, backlog: 8_192 }, () => {
      tell({ kind: 'serving', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    });
  }

  report(): void {
    tell({ kind: 'report', underWay: this.#underWay, sold: this.#sold, accepted: this.#accepted });
  }

  #sell({ sku }: { sku: string }, reply: ServerResponse): void {
    this.#underWay += 1;
    setTimeout(() => {
      this.#underWay -= 1;
      this.#sold += 1;
      send(reply, { status: 'delivered', items: [itemText(Number(sku), this.#nextSerial)] });
      this.#nextSerial += 1;
    }, this.#answerMs);
  }
}

function send(reply: ServerResponse, body: object): void {
  const text = JSON.stringify(body);
  reply.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length }).end(text);
}

function tell(message: FromLateSupplier): void {
  process.send?.(message);
}

const supplier = new LateSupplier();
process.on('message', (message: ToLateSupplier) => {
  if (message.kind === 'serve') supplier.serve(message.answerMs, message.firstSerial);
  else supplier.report();
});
process.on('disconnect', () => process.exit(0));
