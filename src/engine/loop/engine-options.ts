import type { History } from '../decide/history.ts';
import type { Fact } from '../fact.ts';
import type { State } from '../state.ts';
import type { KeptBack } from '../supplying/next-source.ts';
import type { Later } from './gathering.ts';
import type { Journal } from './journal.ts';

/** The engine's ports, clock, timers and callbacks. */
export interface EngineOptions {
  readonly state: State;
  readonly history: History;
  readonly journal: Journal;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Runs a function after what is being done now, once per call. */
  readonly defer: (run: () => void) => void;
  /** Suppliers whose circuits are open. Without it none is. */
  readonly keptBack?: KeptBack;
  /** For small groups that wait for more (`Gathering`). Without it none waits: for what measures or tests the rest. */
  readonly later?: Later;
  /** The state as the disk has it, after the journal refused a group for want of room. */
  readonly rebuild: () => State;
  /** Resolves when the journal has room again. */
  readonly roomAgain: () => Promise<void>;
  /** The journal is durable up to this position, where this group ends. Called before any answer of the group. */
  readonly onDurable?: (position: number, facts: readonly Fact[]) => void;
  /** The journal failed in a way that leaves unknown what it holds: the process must stop. */
  readonly onFatal: (error: unknown) => void;
  /** An answer could not be given; the others of its group are. */
  readonly onFault: (error: unknown) => void;
  /** Default: `MAX_RECENT_OUTCOMES`. */
  readonly maxRecentOutcomes?: number;
}
