/**
 * One look-up: the questions to the name servers, their repetitions, and the result.
 *
 * Each look-up has its own c-ares channel, with its own sockets. One channel for all was rejected: c-ares shortens its
 * time-out after quick answers and then misses slow ones; single look-ups can't be cancelled; and a thousand answers at
 * once overflow the socket.
 *
 * A question is repeated when its answer is late, because question or answer may be lost; answers to all repetitions
 * count until the end. With several name servers the repetitions start with the second one.
 *
 * Many name servers fail for IPv6, or don't answer. Once one family has addresses, the other gets a short time more, and
 * then counts as empty. This hides no address from the check of destinations: an address that isn't known isn't dialled.
 * Rejected: failing such a look-up, because the receivers behind these servers work.
 */
import { promises as dns, type RecordWithTtl } from 'node:dns';
import { isDescriptorLeft } from '../shared/descriptor-reserve.ts';

/** After the first question. */
const ASK_AGAIN_MS = [500, 1_500, 3_500] as const;
/** As long as c-ares listens for an answer. */
const LISTEN_MS = 5_000;
/** The other family, once one has addresses (RFC 8305 waits 50 ms of it, but for each connection). */
const OTHER_FAMILY_MS = 300;
/** Lower bound of the TTL when one family is unknown: asking again costs `OTHER_FAMILY_MS` again. */
const SHORTEST_PARTIAL_TTL_MS = 5_000;

/**
 * `not-found`: no such name, or no address; `failed`: the name servers fail; `busy`: there was no place or file descriptor
 * in time.
 */
export type LookupResult =
  | { readonly addresses: readonly string[]; readonly ttlMs: number }
  | { readonly failure: 'not-found' | 'failed' | 'timeout' | 'busy' };

interface Family {
  readonly ask: 'resolve4' | 'resolve6';
  /** Questions without an answer. */
  open: number;
  answer: FamilyAnswer | undefined;
}

interface FamilyAnswer {
  readonly records: readonly RecordWithTtl[];
  /** Undefined when it is certain that there are no other addresses. */
  readonly failure?: Failure | undefined;
}

type Failure = 'busy' | 'timeout' | 'failed';

export interface NameServers {
  /** As `dns.setServers` takes them; undefined for the system's. */
  readonly servers: readonly string[] | undefined;
  /** See `descriptor-reserve.ts`. */
  readonly descriptorCeiling: number;
}

export class HostInquiry {
  readonly #host: string;
  readonly #nameServers: NameServers;
  readonly #onEnd: (result: LookupResult) => void;
  readonly #families: readonly Family[] = [
    { ask: 'resolve4', open: 0, answer: undefined },
    { ask: 'resolve6', open: 0, answer: undefined },
  ];
  readonly #channels: dns.Resolver[] = [];
  #again: NodeJS.Timeout | undefined;
  #moment: NodeJS.Timeout | undefined;
  #isEnded = false;

  private constructor(host: string, nameServers: NameServers, onEnd: (result: LookupResult) => void) {
    this.#host = host;
    this.#nameServers = nameServers;
    this.#onEnd = onEnd;
  }

  /** `onEnd` is called once, after this has returned: as `busy` without a free file descriptor. */
  static begin(host: string, nameServers: NameServers, onEnd: (result: LookupResult) => void): HostInquiry {
    const inquiry = new HostInquiry(host, nameServers, onEnd);
    const channel = openChannel(nameServers);
    if (channel === undefined) {
      const busy = { records: [], failure: 'busy' } as const;
      for (const family of inquiry.#families) family.answer = busy;
      queueMicrotask(() => inquiry.#end());
    } else {
      inquiry.#channels.push(channel);
      inquiry.#ask(channel, 0);
    }
    return inquiry;
  }

  /** Ends it now, with the addresses that are known. */
  giveUp(): void {
    this.#end();
  }

  #ask(channel: dns.Resolver, round: number): void {
    for (const family of this.#families) {
      if (family.answer !== undefined) continue;
      family.open += 1;
      channel[family.ask](this.#host, { ttl: true }).then(
        (records) => this.#hear(family, { records }),
        (error: NodeJS.ErrnoException) =>
          this.#hear(family, { records: [], failure: failureOf(error, this.#nameServers.descriptorCeiling) }),
      );
    }
    const [atMs, beforeMs = 0] = [ASK_AGAIN_MS[round], ASK_AGAIN_MS[round - 1]];
    if (atMs === undefined) return;
    this.#again = setTimeout(() => this.#ask(this.#laterChannel(channel), round + 1), atMs - beforeMs);
  }

  /** The channel for repetitions: it starts with the second server, if there is one. */
  #laterChannel(channel: dns.Resolver): dns.Resolver {
    const [first, ...others] = channel.getServers();
    if (first === undefined || others.length === 0 || this.#channels.length > 1) return channel;
    const later = openChannel({ ...this.#nameServers, servers: [...others, first] });
    if (later === undefined) return channel;
    this.#channels.push(later);
    return later;
  }

  #hear(family: Family, answer: FamilyAnswer): void {
    family.open -= 1;
    if (this.#isEnded || family.answer !== undefined) return;
    if (answer.failure !== undefined && family.open > 0) return;
    family.answer = answer;
    if (this.#families.every((each) => each.answer !== undefined)) this.#end();
    else if (answer.records.length > 0) this.#moment = setTimeout(() => this.#end(), OTHER_FAMILY_MS);
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#again);
    clearTimeout(this.#moment);
    for (const channel of this.#channels) channel.cancel();
    this.#onEnd(combined(this.#families.map(({ answer }) => answer ?? { records: [], failure: 'timeout' })));
  }
}

/** Undefined without a file descriptor to spare: c-ares reads the system's configuration, and opens sockets. */
function openChannel({ servers, descriptorCeiling }: NameServers): dns.Resolver | undefined {
  if (!isDescriptorLeft(descriptorCeiling)) return undefined;
  try {
    const channel = new dns.Resolver({ timeout: LISTEN_MS, tries: 1 });
    if (servers !== undefined) channel.setServers(servers);
    return channel;
  } catch {
    return undefined;
  }
}

/** Answers that mean: no addresses of this family. */
const EMPTY_CODES: ReadonlySet<unknown> = new Set(['ENODATA', 'ENOTFOUND']);

function failureOf({ code }: NodeJS.ErrnoException, descriptorCeiling: number): Failure | undefined {
  if (code === 'ETIMEOUT') return 'timeout';
  if (EMPTY_CODES.has(code)) return undefined;
  // c-ares has one code for a server that refuses and for a socket that can't be opened.
  return code === 'ECONNREFUSED' && !isDescriptorLeft(descriptorCeiling) ? 'busy' : 'failed';
}

function combined(answers: readonly FamilyAnswer[]): LookupResult {
  const failures = answers.map(({ failure }) => failure);
  const isWhole = failures.every((failure) => failure === undefined);
  const records = answers.flatMap((answer) => answer.records);
  if (records.length === 0) {
    const failure = (['busy', 'timeout', 'failed'] as const).find((reason) => failures.includes(reason));
    return { failure: failure ?? 'not-found' };
  }
  const ttlMs = Math.min(...records.map(({ ttl }) => ttl)) * 1_000;
  return {
    addresses: records.map(({ address }) => address),
    ttlMs: isWhole ? ttlMs : Math.max(ttlMs, SHORTEST_PARTIAL_TTL_MS),
  };
}
