/**
 * The vetted addresses of the hosts that deliveries go to, kept for as long as DNS says, but 1 to 30 seconds: every
 * delivery asks here (SPEC.md §6, "before every delivery the host is re-checked"), and thousands a second to one host
 * are still one look-up.
 *
 * The cache keeps addresses that passed, and a connection is made to one of them, never to the name. So an answer that
 * changes meanwhile can't lead to an address that was not checked; and a connection that is kept open stays with the
 * address it was made to. Failures are kept for a second, the least of RFC 9520: a backlog asks a dead name server no
 * more often, and no retry of the schedule is spent on an old answer.
 */

import type { HostLookup } from '../../outgoing/host-resolver.ts';
import { LatestEntries } from '../../outgoing/latest-entries.ts';
import type { AddressPolicy } from '../destination/address-policy.ts';
import { type Destination, resolveDestination } from '../destination/destination.ts';

export interface DestinationCacheOptions {
  readonly resolver: HostLookup;
  readonly policy: AddressPolicy;
  /** A monotonic clock, in milliseconds. */
  readonly nowMs?: () => number;
  readonly maxHosts?: number;
}

const SHORTEST_MS = 1_000;
const LONGEST_MS = 30_000;
const REFUSAL_MS = 1_000;
const MAX_HOSTS = 8_192;

export class DestinationCache {
  readonly #options: DestinationCacheOptions;
  readonly #nowMs: () => number;
  readonly #known: LatestEntries<string, { readonly destination: Destination; readonly untilMs: number }>;

  constructor(options: DestinationCacheOptions) {
    this.#options = options;
    this.#known = new LatestEntries(options.maxHosts ?? MAX_HOSTS);
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** `host` as for `resolveDestination`. Never rejects. The resolver looks it up once for all who ask meanwhile. */
  async resolve(host: string): Promise<Destination> {
    const known = this.#known.get(host);
    if (known !== undefined && this.#nowMs() < known.untilMs) return known.destination;
    const destination = await resolveDestination(host, this.#options.resolver, this.#options.policy);
    this.#keep(host, destination);
    return destination;
  }

  #keep(host: string, destination: Destination): void {
    const keptMs = keptForMs(destination);
    if (keptMs === 0) this.#known.delete(host);
    else this.#known.set(host, { destination, untilMs: this.#nowMs() + keptMs });
  }
}

function keptForMs(destination: Destination): number {
  if ('addresses' in destination) return Math.min(Math.max(destination.ttlMs, SHORTEST_MS), LONGEST_MS);
  return destination.refusal === 'lookup-busy' ? 0 : REFUSAL_MS;
}
