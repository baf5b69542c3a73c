/**
 * Looks hosts up by c-ares, which speaks DNS on the event loop. `dns.lookup` was rejected: it waits in a thread
 * of libuv's pool, and the journal's commits run in the same threads. So `/etc/hosts` and mDNS are not
 * consulted, and names are complete as they are (no search list).
 *
 * Each look-up has a total deadline whatever the name servers do, its wait for a place included. Those of askers
 * that have had a slow one lately have a queue and places of their own: name servers that keep silent are in each
 * other's way and in nobody else's (see `LookupQueue` for what they are the first time). A host that is being looked
 * up is not asked for a second time. Registrations, the threads that deliver, and suppliers have a resolver each:
 * none takes the places of another.
 */
import { descriptorCeiling } from './descriptor-reserve.ts';
import { HostInquiry, type LookupResult, type NameServers } from './host-inquiry.ts';
import { LookupQueue, PATIENCE_MS, type QueuedLookup } from './lookup-queue.ts';
import { SlowAskers } from './slow-askers.ts';

export interface HostLookup {
  /**
   * All IPv4 and IPv6 addresses of `host` that are known. `asker` is who answers for it when it takes long: the host
   * itself unless it is said. Never rejects.
   */
  lookup(host: string, asker?: string): Promise<LookupResult>;
}

export interface HostResolverOptions {
  /** `address:port` of `--dns-server`; undefined for the system's resolvers. */
  readonly server: string | undefined;
  /** Default 4 s: a registration answers within 5 s. An answer that takes longer than 5 s is not heard in any case. */
  readonly deadlineMs?: number;
  /**
   * Look-ups under way, for askers that were slow lately and as many again for all others; default 256. Fewer when the
   * process may open few files.
   */
  readonly places?: number;
  /** More that wait for a place, for either; default 1,024. */
  readonly maxWaiting?: number;
  /** Default: the process's, see `descriptor-reserve.ts`. */
  readonly descriptorCeiling?: number;
}

const DEADLINE_MS = 4_000;
const PLACES = 256;
const MAX_WAITING = 1_024;
/**
 * Of all descriptors, for the places of either kind: three resolvers have both. With more places, whoever finds no
 * descriptor would be refused at once where he could wait for a place.
 */
const DESCRIPTOR_SHARE = 1 / 6;
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
  readonly #slowAskers: SlowAskers;
  /** One for each that has not ended. */
  readonly #ends = new Set<(result: LookupResult) => void>();

  private constructor(options: HostResolverOptions) {
    const nowMs = () => performance.now();
    const { server, deadlineMs = DEADLINE_MS, maxWaiting = MAX_WAITING } = options;
    const ceiling = options.descriptorCeiling ?? descriptorCeiling();
    const mostPlaces = Math.max(1, Math.floor(ceiling * DESCRIPTOR_SHARE));
    const places = Math.min(options.places ?? PLACES, mostPlaces);
    const newClass = () => ({ queue: new LookupQueue({ places, maxWaiting, nowMs }), pending: new Map() });
    this.#nameServers = {
      servers: server === undefined ? undefined : [server],
      descriptorCeiling: ceiling,
    };
    this.#deadlineMs = deadlineMs;
    this.#quick = newClass();
    this.#slow = newClass();
    this.#slowAskers = new SlowAskers(nowMs);
  }

  static open(options: HostResolverOptions): HostResolver {
    return new HostResolver(options);
  }

  /** Look-ups that have a place. */
  get underWay(): number {
    return this.#quick.queue.underWay + this.#slow.queue.underWay;
  }

  lookup(host: string, asker = host): Promise<LookupResult> {
    const { queue, pending } = this.#slowAskers.has(asker) ? this.#slow : this.#quick;
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
        if (performance.now() - beganAtMs >= PATIENCE_MS) this.#slowAskers.add(asker);
        queue.leave(lookup);
        resolve(hadMoment && 'failure' in result && result.failure === 'timeout' ? BUSY : result);
      };
      const lookup: QueuedLookup = {
        begin: () => {
          beganAtMs = performance.now();
          inquiry = HostInquiry.begin(host, this.#nameServers, end);
          if (inquiry === undefined) end(BUSY);
        },
        giveWay: () => inquiry?.giveUp(),
      };
      const deadline = setTimeout(() => {
        // One that had its place for a moment only says nothing of the name servers, unless it has heard something.
        hadMoment = performance.now() - beganAtMs < this.#deadlineMs / 2;
        if (inquiry === undefined) end(BUSY);
        else inquiry.giveUp();
      }, this.#deadlineMs);
      this.#ends.add(end);
      if (!queue.enter(lookup)) end(BUSY);
    });
  }
}
