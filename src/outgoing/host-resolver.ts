/**
 * Looks hosts up by c-ares, which speaks DNS on the event loop. `dns.lookup` was rejected: it waits in a thread
 * of libuv's pool, and the journal's commits run in the same threads. So `/etc/hosts` and mDNS are not
 * consulted, and names are complete as they are (no search list).
 *
 * Many name servers are silent about IPv6, or fail. Once one family has addresses, the other is waited for a moment
 * only, and counts as having none when it isn't known. That hides no address from those who judge them: what they
 * haven't seen is not dialled. Rejected: failing such a look-up, for receivers behind these servers are sound.
 *
 * Each look-up has a total deadline whatever the name servers do, and at most `maxLookups` are under way; one
 * more fails at once rather than wait behind those of silent name servers. A look-up keeps its place until
 * c-ares has given up as well. Registrations and deliveries have a resolver each: then neither takes the other's
 * places.
 */
import { promises as dns, type RecordWithTtl } from 'node:dns';

/** `not-found`: no such name, or no address; `failed`: no address is known; `busy`: too many look-ups under way. */
export type LookupResult =
  | { readonly addresses: readonly string[]; readonly ttlMs: number }
  | { readonly failure: 'not-found' | 'failed' | 'timeout' | 'busy' };

export interface HostLookup {
  /** All IPv4 and IPv6 addresses of `host` that are known. Never rejects. */
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
/** The other family, once one has addresses (RFC 8305 waits 50 ms of it, but for each connection). */
const OTHER_FAMILY_MS = 300;
/** What is known without the other family is good for so long at least: c-ares goes on asking, and keeps its place. */
const SHORTEST_PARTIAL_TTL_MS = 5_000;
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
    const families = [
      this.#resolver.resolve4(host, { ttl: true }),
      this.#resolver.resolve6(host, { ttl: true }),
    ];
    return new Promise((resolve) => {
      const answers: FamilyAnswer[] = [];
      let moment: NodeJS.Timeout | undefined;
      const end = () => {
        clearTimeout(deadline);
        clearTimeout(moment);
        resolve(combined(answers, families.length));
      };
      const deadline = setTimeout(end, this.#deadlineMs);
      const hear = (answer: FamilyAnswer) => {
        answers.push(answer);
        if (answers.length < families.length) {
          if (answer.records.length > 0) moment = setTimeout(end, OTHER_FAMILY_MS);
          return;
        }
        this.#underWay -= 1;
        end();
      };
      for (const family of families) {
        family.then(
          (records) => hear({ records }),
          (error: NodeJS.ErrnoException) => hear({ records: [], failure: failureOf(error) }),
        );
      }
    });
  }

  /** Ends what is under way as not found. */
  close(): void {
    this.#resolver.cancel();
  }
}

interface FamilyAnswer {
  readonly records: readonly RecordWithTtl[];
  /** Why no address is known; that there is none, when it is undefined. */
  readonly failure?: 'failed' | 'timeout' | undefined;
}

/** What says for certain that a family has no addresses; a resolver that was closed has nothing to say of it. */
const EMPTY_CODES: ReadonlySet<unknown> = new Set(['ENODATA', 'ENOTFOUND', 'ECANCELLED']);

function failureOf({ code }: NodeJS.ErrnoException): 'failed' | 'timeout' | undefined {
  if (code === 'ETIMEOUT') return 'timeout';
  return EMPTY_CODES.has(code) ? undefined : 'failed';
}

/** What has been answered so far, by how many of the families. */
function combined(answers: readonly FamilyAnswer[], families: number): LookupResult {
  const failures = answers.map(({ failure }) => failure);
  if (answers.length < families) failures.push('timeout');
  const isWhole = failures.every((failure) => failure === undefined);
  const records = answers.flatMap((answer) => answer.records);
  if (records.length === 0) {
    if (isWhole) return { failure: 'not-found' };
    return { failure: failures.includes('timeout') ? 'timeout' : 'failed' };
  }
  const ttlMs = Math.min(...records.map(({ ttl }) => ttl)) * 1_000;
  return {
    addresses: records.map(({ address }) => address),
    ttlMs: isWhole ? ttlMs : Math.max(ttlMs, SHORTEST_PARTIAL_TTL_MS),
  };
}
