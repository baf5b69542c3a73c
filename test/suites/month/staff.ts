/** Five operators with names, what each may do, and why they say that they do it. */
import type { Random } from '../../support/random.ts';

export const STAFF = [
  { name: 'anna', role: 'support' },
  { name: 'ben', role: 'stock' },
  { name: 'carla', role: 'finance' },
  { name: 'dora', role: 'viewer' },
  { name: 'emil', role: 'owner' },
] as const;

/** `root` has the token of the data folder, and is there before anybody else. */
export type Operator = (typeof STAFF)[number]['name'] | 'root';

const REASONS = [
  'the buyer called',
  'ticket 4711: "charged twice"',
  'agreed with, and paid for',
  'как обещано 🙂',
  '=1+1',
  'a mistake of ours\nin two lines',
];

/** Scripts give none. */
export function reasonOf(random: Random): string | undefined {
  return random.chance(0.3) ? undefined : random.pick(REASONS);
}
