/**
 * The port of the shared log: the one table that all nodes of a cluster write to and read from, as PostgreSQL has it
 * (`postgres/postgres-table.ts`) and as the simulation has it. `test/cluster/shared-table-contract.ts` has the contract
 * that both keep.
 *
 * The port knows numbers, terms and bytes. The meaning of an unknown outcome is decided above it, in one place
 * (`log-writer.ts`), so that the simulation proves that as well.
 */

/** Kinds of entries, by their number in the table: docs/decisions/0034. */
export const KINDS = ['term', 'facts', 'texts', 'outbox', 'end', 'keys'] as const;
export type EntryKind = (typeof KINDS)[number];

export interface Entry {
  /** 1, 2, 3 … without a hole. */
  readonly number: number;
  /** The term of the leader who wrote it. */
  readonly term: number;
  readonly kind: EntryKind;
  /** The last entry that its writer knew confirmed when he wrote it. */
  readonly confirmed: number;
  readonly bytes: Buffer;
}

/**
 * A follower's view at one moment: the new entries, whether the leader lives, and whether the log is still the known
 * one.
 */
export interface Seen {
  /** The entries behind the one that was named, in their order; also those that are not confirmed. */
  readonly entries: readonly Entry[];
  /** The term of the newest beat; 0 before the first. */
  readonly term: number;
  /** The last entry that was confirmed, as the newest beat says. */
  readonly confirmed: number;
  /** Grows with every beat and every term, at random: after a loss it does not come back to what somebody has seen. */
  readonly beats: number;
  /** The term of the entry that was named, or undefined where the log has none. */
  readonly termAt: number | undefined;
  /** The bytes of the entry that began the newest term, also when that was removed; undefined before the first. */
  readonly begin: Buffer | undefined;
}

/** The outcome of an insert. */
export type Inserted =
  /** All rows are there, and on the quorum. */
  | 'confirmed'
  /** A place is taken; nothing was inserted. */
  | 'taken'
  /** The entry before is missing or of another term; nothing was inserted. */
  | 'fenced'
  /** PostgreSQL does not keep, or replicate synchronously, what it confirms (any more); nothing was inserted. */
  | 'asynchronous'
  /** No room; nothing was inserted. */
  | 'full';

/** Why a log is `asynchronous`. */
export const NOT_DURABLE =
  'PostgreSQL may lose what it confirms: set synchronous_standby_names, and fsync and full_page_writes to on';

export interface SharedTable {
  /**
   * Inserts entries that follow each other, all or none, behind an entry of `previousTerm` (of 0: at the beginning). They
   * have one term, and the same `confirmed`.
   * Waits as long as an insert at the same place is under way. Rejects with a `ClusterError`,
   * which is `unknown` or `unreachable`.
   *
   * `beats`, of one entry that begins a term: nothing is inserted, and it is `fenced`, when somebody has beaten since. A
   * beat that is under way is waited for, and one that comes later is refused. So no leader renews his lease between the
   * look that found him silent and the entry that takes his place.
   */
  insert(entries: readonly Entry[], previousTerm: number, beats?: number): Promise<Inserted>;
  /**
   * Entries behind number `after`, in their order, `limit` of them at most; also those that are not confirmed. Rejects
   * with `unreachable`, and with `ended` for an entry of a kind that a later version writes.
   */
  read(after: number, limit: number): Promise<Entry[]>;
  /**
   * A commit that waits for the quorum, with all before it, and tells followers that entry `confirmed` is confirmed.
   * The entry must be confirmed before: a beat may be seen that no other server has. False, and nothing changed, when
   * the newest entry is not `newest` or is of another term, or the table is `asynchronous`. Rejects like `insert`.
   */
  beat(term: number, newest: number, confirmed: number): Promise<boolean>;
  /** The log behind `after`, with at most `limit` entries, as one server has it at one moment. Rejects like `read`. */
  look(after: number, limit: number): Promise<Seen>;
  /** The bytes of the newest entry of facts; undefined when the log has none any more. Rejects like `read`. */
  newestFacts(): Promise<Buffer | undefined>;
  /** The next calls find out anew who is the primary: the one that is known may have been replaced. */
  refresh(): void;
  close(): Promise<void>;
}
