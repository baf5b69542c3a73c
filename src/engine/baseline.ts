/**
 * Where a journal may begin when its older facts have been moved to an archive (docs/decisions/0039). A fact names it, so
 * whoever reads the journal from there knows what the facts before it came to.
 */
export interface Baseline {
  /**
   * The version of the file, and of the way in which `state` is reckoned: a later version that reckons otherwise sees
   * it here.
   */
  readonly format: number;
  /** The last fact that was moved. */
  readonly position: number;
  /** Hexadecimal SHA-256 of the frame that ends there; it names all before it. */
  readonly hash: string;
  /** Hexadecimal SHA-256 of what the facts up to there came to (`HistorySums`, in `src/persistence/baseline/`). */
  readonly state: string;
  /** Where the facts were moved to, as operators name it, without secrets. */
  readonly archive: string;
}
