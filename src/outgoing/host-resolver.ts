/**
 * Looks up hosts with c-ares, which speaks DNS on the event loop. `dns.lookup` was rejected: it blocks threads of libuv's
 * pool, where the journal commits. So `/etc/hosts`, mDNS and search lists are not used.
 *
 * Invariant: each look-up has one deadline, waiting included, whatever the name servers do; a host is looked up only
 * once at a time. Askers whose look-ups were slow recently get a queue and places of their own, so silent name servers
 * delay only each other (see `LookupQueue` for the first time). Registrations, delivery threads and suppliers have a
 * resolver each, so none takes the places of another.
 */
import { descriptorCeiling } from '../shared/descriptor-reserve.ts';
import { HostInquiry, type LookupResult, type NameServers } from './host-inquiry.ts';
import { LatestEntries } from './latest-entries.ts';
import { LookupQueue, PATIENCE_MS, type QueuedLookup } from './lookup-queue.ts';

export interface HostLookup {
  /**
   * All IPv4 and IPv6 addresses of `host`. `asker` counts as slow when the look-up is; default: the host. Never rejects.
   */
  lookup(host: string, asker?: string): Promise<LookupResult>;
}

export interface HostResolverOptions {
  /** `address:port` of `--dns-server`; undefined for the system's resolvers. */
  readonly server: string | undefined;
  /** Default 4 s, because a registration answers within 5 s. Above 5 s nothing changes: c-ares stops listening. */
  readonly deadlineMs?: number;
  /**
   * Look-ups in progress, for slow askers and as many again for all others; default 256. Fewer when the process may open
   * few files.
   */
  readonly places?: number;
  /** Look-ups that wait for a place, for each of the two; default 1,024. */
  readonly maxWaiting?: number;
  /** Default: the process's, see `descriptor-reserve.ts`. */
  readonly descriptorCeiling?: number;
}

const DEADLINE_MS = 4_000;
const PLACES = 256;
const MAX_WAITING = 1_024;
/**
 * The share of all file descriptors that the places of each kind may take; three resolvers have both kinds. With more
 * places, look-ups would fail without a descriptor where they can wait for a place.
 */
const DESCRIPTOR_SHARE = 1 / 6;
/** How long an asker counts as slow. A quick look-up doesn't end it: attackers would make one before each slow one. */
const SLOW_MS = 10 * 60 * 1_000;
/** Beyond that, those that were slow longest ago are forgotten. */
const MAX_SLOW = 8_192;
const BUSY: LookupResult = { failure: 'busy' };

interface LookupClass {
  readonly queue: LookupQueue;
  /** By host. */
  readonly pending: Map<string, Promise<LookupResult>>;
}

export class HostResolver implements HostLookup {
  readonly #nameServers: NameServers;
  readonly #deadlineMs: number;
  readonly #quick: LookupClass;
  readonly #slow: LookupClass;
  /** Until when each asker counts as slow. */
  readonly #slowUntilMs = new LatestEntries<string, number>(MAX_SLOW);
  /** The ends of look-ups in progress or waiting. */
  readonly #ends = new Set<(result: LookupResult) => void>();

  constructor(options: HostResolverOptions) {
    const { server, deadlineMs = DEADLINE_MS, maxWaiting = MAX_WAITING } = options;
    const ceiling = options.descriptorCeiling ?? descriptorCeiling();
    const mostPlaces = Math.max(1, Math.floor(ceiling * DESCRIPTOR_SHARE));
    const places = Math.min(options.places ?? PLACES, mostPlaces);
    const newClass = () => ({
      queue: new LookupQueue({ places, maxWaiting, nowMs: () => performance.now() }),
      pending: new Map(),
    });
    this.#nameServers = {
      servers: server === undefined ? undefined : [server],
      descriptorCeiling: ceiling,
    };
    this.#deadlineMs = deadlineMs;
    this.#quick = newClass();
    this.#slow = newClass();
  }

  /** Look-ups in progress. */
  get underWay(): number {
    return this.#quick.queue.underWay + this.#slow.queue.underWay;
  }

  lookup(host: string, asker = host): Promise<LookupResult> {
    const isSlow = (this.#slowUntilMs.get(asker) ?? 0) > performance.now();
    const { queue, pending } = isSlow ? this.#slow : this.#quick;
    const known = pending.get(host);
    if (known !== undefined) return known;
    const lookup = this.#lookUp(host, asker, queue).finally(() => pending.delete(host));
    pending.set(host, lookup);
    return lookup;
  }

  /** Ends all look-ups as `busy`. */
  close(): void {
    this.#quick.queue.forgetWaiting();
    this.#slow.queue.forgetWaiting();
    for (const end of this.#ends) end(BUSY);
  }

  #lookUp(host: string, asker: string, queue: LookupQueue): Promise<LookupResult> {
    return new Promise((resolve) => {
      let inquiry: HostInquiry | undefined;
      let beganAtMs = Number.POSITIVE_INFINITY;
      let hadMoment = false;
      const end = (result: LookupResult) => {
        if (!this.#ends.delete(end)) return;
        clearTimeout(deadline);
        inquiry?.giveUp();
        const nowMs = performance.now();
        if (nowMs - beganAtMs >= PATIENCE_MS) this.#slowUntilMs.set(asker, nowMs + SLOW_MS);
        queue.leave(lookup);
        resolve(hadMoment && 'failure' in result && result.failure === 'timeout' ? BUSY : result);
      };
      const lookup: QueuedLookup = {
        begin: () => {
          beganAtMs = performance.now();
          inquiry = HostInquiry.begin(host, this.#nameServers, end);
        },
        giveWay: () => inquiry?.giveUp(),
      };
      const deadline = setTimeout(() => {
        // A look-up that waited long and was asked only briefly proves nothing about the name servers.
        hadMoment = performance.now() - beganAtMs < this.#deadlineMs / 2;
        if (inquiry === undefined) end(BUSY);
        else inquiry.giveUp();
      }, this.#deadlineMs);
      this.#ends.add(end);
      if (!queue.enter(lookup)) end(BUSY);
    });
  }
}
