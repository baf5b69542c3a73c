/**
 * Sends planned requests over many connections at once and holds what comes back against the promise: a valid
 * request gets the envelope within its time, nothing stays open for more than 15 seconds after the last byte.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RawClient, type RawReply } from '../../http/transport/raw-client.ts';
import { sleepAwake } from '../../support/awake-time.ts';
import { type PlannedRequest, planRequest } from './fuzz-plan.ts';
import type { Known } from './valid-requests.ts';

export interface FuzzOptions {
  readonly port: number;
  readonly transport: string;
  readonly known: Known;
  readonly seed: number;
  readonly requests: number;
}

export interface FuzzFigures {
  sent: number;
  valid: number;
  /** Connections that were left to the server to close. */
  waitedOut: number;
  readonly statuses: Map<number, number>;
  /** Replies that were not as promised, with what it takes to see them again. */
  readonly failures: string[];
}

const CONNECTIONS = 32;
const MAX_OPEN_MS = 15_000;
const LOOK_MS = 500;
/** How long a broken request may wait for its answer before the client gives up, as most clients would. */
const PATIENCE_MS = 50;
/** One broken request in so many is not given up; of the last ones all are, for the run ends in a wait. */
const WAIT_OUT_ONE_IN = 8;
const NOT_WAITED_OUT = 2_400;
const MAX_FAILURES = 10;

export class FuzzRun {
  readonly figures: FuzzFigures = {
    sent: 0,
    valid: 0,
    waitedOut: 0,
    statuses: new Map(),
    failures: [],
  };
  readonly #options: FuzzOptions;
  readonly #waits = new Set<Promise<void>>();
  #next = 0;

  constructor(options: FuzzOptions) {
    this.#options = options;
  }

  async run(): Promise<FuzzFigures> {
    await Promise.all(Array.from({ length: CONNECTIONS }, () => this.#work()));
    await Promise.all(this.#waits);
    return this.figures;
  }

  async #work(): Promise<void> {
    const { requests, seed, transport, known, port } = this.#options;
    let client: RawClient | undefined;
    while (this.#next < requests && this.figures.failures.length < MAX_FAILURES) {
      const n = this.#next;
      this.#next += 1;
      const planned = planRequest(seed, n, transport, known);
      client ??= await RawClient.connect(port);
      this.figures.sent += 1;
      await send(client, planned.pieces);
      const usable = planned.valid
        ? await this.#expectEnvelope(client, planned, n)
        : await this.#bear(client, planned, n);
      if (!usable) client = undefined;
    }
    client?.close();
  }

  /** Resolves with whether the connection may be used again. */
  async #expectEnvelope(client: RawClient, planned: PlannedRequest, n: number): Promise<boolean> {
    this.figures.valid += 1;
    const reply = await finalReply(client, planned.method);
    const fault = typeof reply === 'string' ? reply : faultOf(reply, planned.method);
    if (fault !== undefined) {
      this.#fail(planned, n, fault);
      client.close();
      return false;
    }
    if (typeof reply === 'string') return false;
    this.figures.statuses.set(reply.status, (this.figures.statuses.get(reply.status) ?? 0) + 1);
    if (!planned.closes && !/\bclose\b/i.test(reply.headers.get('connection') ?? '')) return true;
    this.#waitOut(client, planned, n);
    return false;
  }

  async #bear(client: RawClient, planned: PlannedRequest, n: number): Promise<boolean> {
    if (n % WAIT_OUT_ONE_IN === 0 && n < this.#options.requests - NOT_WAITED_OUT) {
      this.#waitOut(client, planned, n);
    } else {
      await Promise.race([client.closed, client.reply(planned.method).catch(() => {}), sleep(PATIENCE_MS)]);
      client.close();
    }
    return false;
  }

  #waitOut(client: RawClient, planned: PlannedRequest, n: number): void {
    const beganAt = performance.now();
    let lastHeardAt = beganAt;
    client.socket.on('data', () => {
      lastHeardAt = performance.now();
    });
    const overdue = async () => {
      let heardAt = lastHeardAt;
      for (let silentMs = 0; silentMs < MAX_OPEN_MS; silentMs += LOOK_MS) {
        await sleepAwake(LOOK_MS, undefined);
        if (client.socket.destroyed) return;
        if (heardAt !== lastHeardAt) silentMs = 0;
        heardAt = lastHeardAt;
      }
      this.#fail(planned, n, 'the connection was held open');
      client.close();
    };
    const wait = Promise.race([client.closed, overdue()]).then(() => {
      this.figures.waitedOut += 1;
      this.#waits.delete(wait);
    });
    this.#waits.add(wait);
  }

  #fail(planned: PlannedRequest, n: number, fault: string): void {
    const { seed, transport } = this.#options;
    const pieces = planned.pieces.map((piece) => JSON.stringify(piece.toString('latin1').slice(0, 1_500)));
    this.figures.failures.push(
      `request ${n} of seed ${seed} on ${transport} (${planned.how.join(', ')}): ${fault}\n${pieces.join('\n')}`,
    );
  }
}

async function send(client: RawClient, pieces: readonly Buffer[]): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await sleep(1);
    client.socket.write(piece);
  }
}

/** The reply after any invitation to go on, or a sentence that says why there is none. */
async function finalReply(client: RawClient, method: string): Promise<RawReply | string> {
  const answered = new AbortController();
  const late = sleepAwake(MAX_OPEN_MS, 'no answer in 15 s', answered.signal);
  try {
    for (;;) {
      const answer = client.reply(method).catch((error: unknown) => String(error));
      const reply = await Promise.race([answer, late]);
      if (typeof reply === 'string' || reply.status !== 100) return reply;
    }
  } finally {
    answered.abort('answered');
  }
}

/** The fault of the envelope (SPEC.md §1). */
function faultOf(reply: RawReply, method: string): string | undefined {
  const seen = `${reply.status} ${JSON.stringify([...reply.headers])} ${reply.body.slice(0, 300)}`;
  const requestId = reply.headers.get('x-request-id');
  if (requestId === undefined || requestId === '') return `no X-Request-Id: ${seen}`;
  if (reply.headers.get('cache-control') !== 'no-store') return `not no-store: ${seen}`;
  if (!reply.headers.get('content-type')?.startsWith('application/json')) return `no JSON: ${seen}`;
  if (method === 'HEAD') return undefined;
  try {
    const body = JSON.parse(reply.body);
    if (body.requestId !== requestId) return `another requestId: ${seen}`;
    if (body.success !== reply.status < 400) return `success is not the status's: ${seen}`;
    if (reply.status >= 500) return `a failure of the server: ${seen}`;
    if (!body.success && typeof body.error !== 'string') return `no error code: ${seen}`;
  } catch {
    return `no JSON: ${seen}`;
  }
  return undefined;
}
