/**
 * Buyers who only read events: each has one request that waits (`GET /events?wait=30`), and behind its answer the next.
 * They buy nothing, so that what purchases cost beside them is the cost of waiting, or, with all types, of being told
 * what others' purchases changed in the catalog.
 */
import { Agent } from 'node:http';
import { urlToHttpOptions } from 'node:url';
import { httpRequest, jsonObject } from '../../test/support/http-request.ts';
import { inParallel } from '../measure/in-parallel.ts';
import type { Stage } from './stage.ts';

export const READERS = 1_000;
const CALLS_AT_ONCE = 16;
const OWN_TYPES = '&types=order.completed,order.failed,balance.credited';

interface EventsAnswer {
  readonly lastEventId?: string | null;
}

/** Resolves when all of them wait. They end with the node. */
export async function openReaders(stage: Stage, types: 'own' | 'all'): Promise<void> {
  const { first, count } = await stage.world.crowd(READERS);
  const readers = stage.world.accounts.slice(first, first + count).map(({ apiKey }) => {
    return new Reader(stage.node.buyerUrl, apiKey, types === 'own' ? OWN_TYPES : '');
  });
  await inParallel(readers, CALLS_AT_ONCE, (reader) => reader.begin());
}

class Reader {
  readonly #url: string;
  readonly #apiKey: string;
  readonly #types: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(buyerUrl: string, apiKey: string, types: string) {
    this.#url = buyerUrl;
    this.#apiKey = apiKey;
    this.#types = types;
  }

  async begin(): Promise<void> {
    const after = await this.#read('after=latest');
    // It ends when the node is gone.
    this.#follow(after).catch(() => this.#agent.destroy());
  }

  async #follow(start: string): Promise<never> {
    for (let after = start; ; ) after = await this.#read(`wait=30&after=${after}`);
  }

  /** Resolves with where to go on. */
  async #read(query: string): Promise<string> {
    const url = new URL(`${this.#url}/events?${query}${this.#types}`);
    const headers = { 'x-api-key': this.#apiKey };
    const { status, text } = await httpRequest({
      ...urlToHttpOptions(url),
      method: 'GET',
      headers,
      agent: this.#agent,
      timeout: 60_000,
    });
    const { lastEventId } = jsonObject(text) as EventsAnswer;
    if (status !== 200 || typeof lastEventId !== 'string') throw new Error(`GET /events: ${status} ${text}`);
    return lastEventId;
  }
}
