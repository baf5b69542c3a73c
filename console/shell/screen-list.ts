/** The screens: how each is called in the navigation and in its `h1`, and the letter that goes there after `g`. */

export interface ScreenEntry {
  readonly name: string;
  /** In the address: `#/deliveries`. */
  readonly path: string;
  readonly letter: string;
  /** Begins a group of the navigation. */
  readonly isFirst?: boolean;
}

export const SCREEN_LIST: readonly ScreenEntry[] = [
  { name: 'Overview', path: 'overview', letter: 'v' },
  { name: 'Accounts', path: 'accounts', letter: 'a', isFirst: true },
  { name: 'Products', path: 'products', letter: 'p' },
  { name: 'Orders', path: 'orders', letter: 'o' },
  { name: 'To deliver', path: 'deliveries', letter: 'd' },
  { name: 'Suppliers', path: 'suppliers', letter: 's', isFirst: true },
  { name: 'Webhooks', path: 'webhooks', letter: 'w' },
  { name: 'Audit', path: 'audit', letter: 'u', isFirst: true },
  { name: 'Operators', path: 'operators', letter: 'r', isFirst: true },
  { name: 'Node', path: 'node', letter: 'n' },
];
