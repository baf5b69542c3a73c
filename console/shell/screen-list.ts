/** The screens: how each is called in the navigation and in its `h1`. */

export interface ScreenEntry {
  readonly name: string;
  /** In the address: `#/deliveries`. */
  readonly path: string;
  /** Begins a group of the navigation. */
  readonly isFirst?: boolean;
}

export const SCREEN_LIST: readonly ScreenEntry[] = [
  { name: 'Overview', path: 'overview' },
  { name: 'Accounts', path: 'accounts', isFirst: true },
  { name: 'Deposits', path: 'deposits' },
  { name: 'Products', path: 'products' },
  { name: 'Price lists', path: 'price-lists' },
  { name: 'Orders', path: 'orders' },
  { name: 'To deliver', path: 'deliveries' },
  { name: 'Suppliers', path: 'suppliers', isFirst: true },
  { name: 'Webhooks', path: 'webhooks' },
  { name: 'Audit', path: 'audit', isFirst: true },
  { name: 'Operators', path: 'operators', isFirst: true },
  { name: 'Node', path: 'node' },
];
