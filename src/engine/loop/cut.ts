/**
 * A cut of the recent rows: a new generation of them begins, and whoever folds the one before into the checkpoint is
 * told up to which position that goes.
 *
 * Invariant: one cut at a time; it lies where a group ends, and is told when everything up to there is durable. A cut
 * that a rebuild of the state undoes is made again.
 */
import type { State } from '../state.ts';

type WhenDurable = (position: number) => void;

export class Cut {
  #whenDurable: WhenDurable | undefined;
  /** Undefined until the cut is made. */
  #position: number | undefined;

  begin(whenDurable: WhenDurable): void {
    if (this.#whenDurable !== undefined) throw new Error('a cut is under way');
    this.#whenDurable = whenDurable;
    this.#position = undefined;
  }

  /** Everything that was applied to `state` has been sent: the cut is made here, if one is wanted. */
  make(state: State): void {
    if (this.#whenDurable === undefined || this.#position !== undefined) return;
    state.cut();
    this.#position = state.position;
  }

  /** The journal is durable up to here. */
  tell(durablePosition: number): void {
    const whenDurable = this.#whenDurable;
    const position = this.#position;
    if (whenDurable === undefined || position === undefined || position > durablePosition) return;
    this.#whenDurable = undefined;
    whenDurable(position);
  }

  /** The state is another one now, which has no cut. */
  undo(): void {
    this.#position = undefined;
  }
}
