/**
 * The program of the receivers: one TLS server that plays all of them, told apart by the path. uWebSockets.js, as
 * light as a receiver can be: on a machine that it shares with the node, a heavy one would be what is measured.
 *
 * Deliveries are read afterwards. One delivery in ten is verified by the code that buyers are given; which ones is
 * drawn by number, so all receivers have their share.
 */
import { type OrderEvent, verifyWebhook } from '../../src/client/entry.ts';
import { loadUwsBinding, type UwsRequest, type UwsResponse } from '../../src/http/transport/uws-binding.ts';
import { WEBHOOK_PORT } from '../../test/support/servers/loopback-listener.ts';
import { type Receipt, ReceiptLog } from './receipt-log.ts';
import type { CheckedReceipt, FromReceivers, ToReceivers } from './receiver-messages.ts';

const MAX_LOG_BYTES = 1024 ** 3;
const RECEIPTS_PER_PART = 20_000;
export const ONE_VERIFIED_OF = 10;

class ReceiverServer {
  readonly #log = new ReceiptLog(MAX_LOG_BYTES);
  #secrets: readonly string[] = [];
  #hangBelow = 0;
  #count = 0;
  #collecting: Iterator<Receipt> | undefined;

  async obey(message: ToReceivers): Promise<FromReceivers> {
    switch (message.kind) {
      case 'listen':
        await this.#listen(message);
        break;
      case 'secrets':
        this.#secrets = message.secrets;
        break;
      case 'hang':
        this.#hangBelow = message.below;
        break;
      case 'count':
        return { kind: 'counted', count: this.#count };
      case 'collect':
        this.#count = 0;
        this.#collecting = this.#log.take();
        return { kind: 'receipts', receipts: await this.#nextPart() };
      case 'more':
        return { kind: 'receipts', receipts: await this.#nextPart() };
      case 'stop':
        process.disconnect();
    }
    return { kind: 'done' };
  }

  async #listen({ keyFile, certFile, host }: Extract<ToReceivers, { kind: 'listen' }>): Promise<void> {
    const uws = await loadUwsBinding();
    const app = uws.SSLApp({ key_file_name: keyFile, cert_file_name: certFile });
    app.any('/*', (response, request) => this.#receive(response, request));
    return new Promise((resolve, reject) => {
      app.listen(host, WEBHOOK_PORT, 0, (socket) => {
        if (socket === false) reject(new Error(`receivers can't listen on ${host}:${WEBHOOK_PORT}`));
        else resolve();
      });
    });
  }

  #receive(response: UwsResponse, request: UwsRequest): void {
    const receiver = Number(request.getUrl().slice(1));
    const signature = request.getHeader('x-service-signature');
    const lines = `${signature}\n${request.getHeader('x-request-id')}\n${request.getHeader('x-service-delivery')}\n`;
    const hangs = receiver < this.#hangBelow;
    let body = new Uint8Array();
    response.onAborted(() => {});
    response.onData((chunk, isLast) => {
      // The chunk's memory is taken back; what is written to the log at once needs no copy.
      if (!isLast || body.length > 0) body = Buffer.concat([body, new Uint8Array(chunk)]);
      if (!isLast || hangs) return;
      this.#log.add(receiver, Date.now(), lines, body.length > 0 ? body : new Uint8Array(chunk));
      this.#count += 1;
      response.cork(() => response.end());
    });
  }

  async #nextPart(): Promise<CheckedReceipt[]> {
    const part: CheckedReceipt[] = [];
    while (part.length < RECEIPTS_PER_PART) {
      const next = this.#collecting?.next();
      if (next === undefined || next.done === true) break;
      part.push(await checked(next.value, this.#secrets[next.value.receiver] ?? ''));
    }
    return part;
  }
}

async function checked(receipt: Receipt, secret: string): Promise<CheckedReceipt> {
  const { receiver, receivedAtMs, signature, requestId, eventId, body } = receipt;
  const attempt = Number(/-(\d+)$/.exec(requestId)?.[1]);
  try {
    const event = JSON.parse(body) as OrderEvent;
    const { orderId } = event;
    const found = { receiver, receivedAtMs, attempt, orderId };
    if (event.type !== 'order.completed' || event.eventId !== eventId) {
      return { ...found, fault: `it is event ${eventId} with the body ${body}` };
    }
    if (orderId % ONE_VERIFIED_OF === 0) {
      const headers = { 'x-service-signature': signature, 'x-service-delivery': eventId };
      await verifyWebhook({ headers, body, secret, now: receivedAtMs });
    }
    return found;
  } catch (error) {
    return { receiver, receivedAtMs, attempt, orderId: Number.NaN, fault: String(error) };
  }
}

const server = new ReceiverServer();
process.on('message', (message) => {
  server.obey(message as ToReceivers).then(
    (answer) => process.connected && process.send?.(answer),
    (error: unknown) => process.send?.({ kind: 'failed', message: String(error) } satisfies FromReceivers),
  );
});
process.on('disconnect', () => process.exit(0));
