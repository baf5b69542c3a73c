/** A state as a word with a colour: the word says it, the colour finds it. */

type Tone = 'good' | 'waiting' | 'bad' | 'quiet';

const TONES: Readonly<Record<string, Tone>> = {
  completed: 'good',
  delivered: 'good',
  active: 'good',
  'on sale': 'good',
  closed: 'good',
  complete: 'good',
  running: 'waiting',
  processing: 'waiting',
  pending: 'waiting',
  pending_delivery: 'waiting',
  unresolved: 'bad',
  open: 'bad',
  failed: 'bad',
  discarded: 'bad',
  refunded: 'quiet',
  cancelled: 'quiet',
};

/** `tone` is for words that the table does not know. */
export function StatusBadge({ status, tone }: { readonly status: string; readonly tone?: Tone }) {
  return <span class={`badge is-${tone ?? TONES[status] ?? 'quiet'}`}>{status.replaceAll('_', ' ')}</span>;
}
