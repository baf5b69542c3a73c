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

/** The origin of an act: the operator, and his reason. Neither for a buyer. */
export interface By {
  readonly operator?: Operator;
  readonly reason?: string;
}

const REASONS = [
  'the buyer called',
  'ticket 4711: "charged twice"',
  'как обещано 🙂',
  '=1+1',
  'in two\nlines',
];

/** Scripts give none. */
export function reasonOf(random: Random): string | undefined {
  return random.chance(0.3) ? undefined : random.pick(REASONS);
}
