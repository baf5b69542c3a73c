/** The client for Node as a driver of the table, in this process: its clock is moved by its own waiting alone. */
import { createHash } from 'node:crypto';
import {
  type Purchase,
  PurserClient,
  PurserError,
  verifyWebhook,
  WebhookVerificationError,
} from 'purser/client';
import type { Driver, Reply } from './run-case.ts';
import { CLOCK_MS, FILE } from './steps.ts';

interface Command {
  readonly do: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a command has, its `do` says
  readonly [argument: string]: any;
}

export class NodeDriver implements Driver {
  #client!: PurserClient;
  #purchase!: Purchase;
  #place: { readonly file: string } | undefined;
  #delaysMs: number[] = [];
  #nowMs = CLOCK_MS;
  readonly #timers = new Set<() => void>();

  /** The time of whatever has a time limit now is over. */
  readonly timeOut = (): void => {
    for (const onElapsed of this.#timers) onElapsed();
  };

  async run(command: Command): Promise<Reply> {
    this.#delaysMs = [];
    const reply = await this.#do(command).then((value) => ({ value }), replyOf);
    return { ...(JSON.parse(JSON.stringify(reply)) as Reply), delaysMs: this.#delaysMs };
  }

  async #do(command: Command): Promise<unknown> {
    switch (command.do) {
      case 'client':
        return this.#begin(command);
      case 'purchase': {
        const { request, idempotencyKey } = command;
        const expectedPriceUsdt = Number(request.expectedPriceUsdt);
        const given = idempotencyKey === undefined ? {} : { idempotencyKey };
        this.#purchase = this.#client.purchase({ ...request, expectedPriceUsdt }, given);
        return this.#purchase.idempotencyKey;
      }
      case 'send':
        return await this.#purchase.send();
      case 'done':
        return await this.#purchase.done();
      case 'unfinished':
        return (await this.#client.unfinished()).length;
      case 'resume': {
        const purchases = await this.#client.unfinished();
        this.#purchase = purchases[0] ?? this.#purchase;
        return purchases.length;
      }
      case 'download':
        return await this.#download(command.orderId);
      case 'events':
        return await this.#events(command);
      case 'forgetPlace': {
        const { writeFileSync } = await import('node:fs');
        return writeFileSync(this.#place?.file ?? '', '');
      }
      case 'verify': {
        const { headers, secrets, nowMs, toleranceMs } = command;
        const body = Buffer.from(command.body, 'base64');
        const tolerance = toleranceMs === undefined ? {} : { toleranceMs };
        return await verifyWebhook({ headers, body, secret: secrets, now: nowMs, ...tolerance });
      }
      default:
        return await this.#call(command);
    }
  }

  #begin({ baseUrls, apiKey, maxAttempts, store, place }: Command): void {
    this.#place = place === undefined ? undefined : { file: place };
    this.#client = new PurserClient({
      baseUrl: baseUrls,
      apiKey,
      maxAttempts,
      maxRetryAfterMs: 60_000,
      ...(store === undefined ? {} : { store: { file: store } }),
      timing: {
        now: () => this.#nowMs,
        random: () => 0,
        startTimer: (_delayMs, onElapsed) => {
          this.#timers.add(onElapsed);
          return () => this.#timers.delete(onElapsed);
        },
        sleep: async (delayMs) => {
          this.#delaysMs.push(delayMs);
          this.#nowMs += delayMs;
        },
      },
    });
  }

  async #call({ name, args = [] }: Command): Promise<unknown> {
    const client = this.#client;
    const [first, second, third] = args;
    switch (name) {
      case 'health':
        return await client.health();
      case 'balance':
        return await client.balance();
      case 'products':
        return await client.products(first === undefined ? {} : { ids: first });
      case 'order':
        return await client.order(first);
      case 'receipt':
        return await client.receipt(first);
      case 'waitForOrder':
        return await client.waitForOrder(first, second === undefined ? {} : { maxWaitMs: second });
      case 'webhook.get':
        return await client.webhook.get();
      case 'webhook.set':
        return await client.webhook.set({ url: first, events: second, balanceThresholdUsdt: Number(third) });
      case 'webhook.delete':
        return await client.webhook.delete();
      default:
        throw new Error(`no call is named ${name}`);
    }
  }

  async #download(orderId: number): Promise<unknown> {
    const { contentType, contentLengthBytes, body } = await this.#client.download(orderId);
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of body) {
      hash.update(piece);
      bytes += piece.byteLength;
      // All that comes before the server falls silent: the next read will be waiting.
      if (bytes === 150_000) setImmediate(this.timeOut);
    }
    const isTheFile = hash.digest('hex') === createHash('sha256').update(FILE).digest('hex');
    return { contentType, contentLengthBytes, bytes, isTheFile };
  }

  async #events({ take, after, types, limit, wait }: Command): Promise<unknown> {
    const taken: unknown[] = [];
    const events = this.#client.events({
      ...(this.#place === undefined ? {} : { place: this.#place }),
      ...(after === undefined ? {} : { after }),
      ...(types === undefined ? {} : { types }),
      ...(limit === undefined ? {} : { limit }),
      ...(wait === undefined ? {} : { waitSeconds: wait }),
    });
    for await (const event of events) if (taken.push(event) === take) break;
    return taken;
  }
}

function replyOf(error: unknown): Reply {
  if (error instanceof WebhookVerificationError) return { refused: error.reason };
  if (error instanceof TypeError) return { invalid: true };
  if (!(error instanceof PurserError)) throw error;
  const { code, message, status, requestId, retryAfterSeconds } = error;
  const { currentPriceUsdt, idempotencyKey, isCharged, attempts } = error;
  const known = { code, message, status, requestId, retryAfterSeconds, currentPriceUsdt };
  return { error: { ...known, idempotencyKey, isCharged, attempts } };
}
