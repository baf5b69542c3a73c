/** Messages between a load process and its parent, over the channel that `fork` gives them. */
import type { WindowResult } from './load-window.ts';
import type { LoadPlan } from './plan.ts';

export type ToLoadProcess =
  | { readonly kind: 'prepare'; readonly plan: LoadPlan }
  | { readonly kind: 'go' }
  /** Send no more, whatever the plan says. */
  | { readonly kind: 'enough' }
  | { readonly kind: 'stop' };

export type FromLoadProcess =
  | { readonly kind: 'prepared' }
  | { readonly kind: 'measuring' }
  | { readonly kind: 'measured' }
  | { readonly kind: 'answers'; readonly chunk: Uint8Array }
  | { readonly kind: 'finished'; readonly result: WindowResult }
  | { readonly kind: 'failed'; readonly message: string };
