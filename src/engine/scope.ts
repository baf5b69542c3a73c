/** The scopes of an API key (SPEC.md §5), in the order of the specification's table. */
export const SCOPES = [
  'catalog:read',
  'balance:read',
  'orders:write',
  'orders:read',
  'webhooks:read',
  'webhooks:write',
] as const;

export type Scope = (typeof SCOPES)[number];
