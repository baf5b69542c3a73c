/**
 * Looks hosts up by c-ares, which speaks DNS on the event loop. `dns.lookup` was rejected: it waits in a thread
 * of libuv's pool, and the journal's commits run in the same threads. So `/etc/hosts` and mDNS are not
 * consulted, and names are complete as they are (no search list).
 *
 * Each look-up has a total deadline whatever the name servers do, and at most `maxLookups` are under way; one
 * more fails at once rather than wait behind those of silent name servers. A look-up keeps its place until
 * c-ares has given up as well. Registrations and deliveries have a resolver each: then neither takes the other's
 * places.
 */
import { promises as dns, type RecordWithTtl } from 'node:dns';

/** `not-found`: no such name, or no address; `failed`: what there is of one family is not known; `busy`: too many look-ups under way. */
export type LookupResult =
  | { readonly addresses: readonly string[]; readonly ttlMs: number }
  | { readonly failure: 'not-found' | 'failed' | 'timeout' | 'busy' };

export interface HostLookup {
  /** All IPv4 and IPv6 addresses of `host`. Never rejects. */
  lookup(host: string): Promise<LookupResult>;
}

export interface HostResolverOptions {
  /** `address:port` of `--dns-server`; undefined for the system's resolvers. */
  readonly server: string | undefined;
  /** Default 4 s: a registration answers within 5 s. */
  readonly deadlineMs?: number;
  readonly maxLookups?: number;
}

const DEADLINE_MS = 4_000;
const MAX_LOOKUPS = 512;
/**
 * c-ares doubles it with each try, and looks at the clock that often only: a lost question is asked again after
 * 500 to 1,000 ms, and one silent server is given up within 5 s.
 */
const TRY_MS = 500;
const TRIES = 3;

export class HostResolver implements HostLookup {
  readonly #resolver: dns.Resolver;
  readonly #deadlineMs: number;
  readonly #maxLookups: number;
  #underWay = 0;

  private constructor(resolver: dns.Resolver, { deadlineMs, maxLookups }: HostResolverOptions) {
    this.#resolver = resolver;
    this.#deadlineMs = deadlineMs ?? DEADLINE_MS;
    this.#maxLookups = maxLookups ?? MAX_LOOKUPS;
  }

  /** Without `server` this reads the system's `/etc/resolv.conf`, once. */
  static open(options: HostResolverOptions): HostResolver {
    const resolver = new dns.Resolver({ timeout: TRY_MS, tries: TRIES });
    if (options.server !== undefined) resolver.setServers([options.server]);
    return new HostResolver(resolver, options);
  }

  /** Look-ups that c-ares has not ended. */
  get underWay(): number {
    return this.#underWay;
  }

  async lookup(host: string): Promise<LookupResult> {
    if (this.#underWay >= this.#maxLookups) return { failure: 'busy' };
    this.#underWay += 1;
    const answers = Promise.allSettled([
      this.#resolver.resolve4(host, { ttl: true }),
      this.#resolver.resolve6(host, { ttl: true }),
    ]).finally(() => {
      this.#underWay -= 1;
    });
    return new Promise((resolve) => {
      const deadline = setTimeout(() => resolve({ failure: 'timeout' }), this.#deadlineMs);
      void answers.then((both) => {
        clearTimeout(deadline);
        resolve(combined(both));
      });
    });
  }

  /** Ends what is under way as not found. */
  close(): void {
    this.#resolver.cancel();
  }
}

/** What says for certain that a family has no addresses; a resolver that was closed has nothing to say of it. */
const EMPTY_CODES: ReadonlySet<unknown> = new Set(['ENODATA', 'ENOTFOUND', 'ECANCELLED']);

/**
 * Every address of a host must be judged, so a family whose answer is not known fails the whole look-up, though the
 * other has addresses: what is silent now may say a private address at the next attempt.
 */
function combined(answers: readonly PromiseSettledResult<RecordWithTtl[]>[]): LookupResult {
  const records: RecordWithTtl[] = [];
  let failure: 'not-found' | 'failed' | 'timeout' = 'not-found';
  for (const answer of answers) {
    if (answer.status === 'fulfilled') records.push(...answer.value);
    else if (answer.reason?.code === 'ETIMEOUT') failure = 'timeout';
    else if (!EMPTY_CODES.has(answer.reason?.code) && failure === 'not-found') failure = 'failed';
  }
  if (records.length === 0 || failure !== 'not-found') return { failure };
  const ttlSeconds = records.reduce((shortest, { ttl }) => Math.min(shortest, ttl), Number.POSITIVE_INFINITY);
  return { addresses: records.map(({ address }) => address), ttlMs: ttlSeconds * 1_000 };
}
