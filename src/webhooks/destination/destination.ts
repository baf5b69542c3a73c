/**
 * Where a webhook's host may be dialled. All of its addresses must be allowed: a name that has a private one
 * beside a public one is refused as a whole, as it is an attack or a mistake.
 *
 * The result is addresses, and they are what gets dialled. Checking the name and dialling the name was rejected:
 * the name may have another answer a moment later (DNS rebinding).
 */

import type { HostLookup } from '../../outgoing/host-resolver.ts';
import type { AddressPolicy, VettedAddress, VettedAddresses } from './address-policy.ts';
import type { DestinationRefusal } from './destination-refusal.ts';

export type Destination =
  | { readonly addresses: VettedAddresses; readonly ttlMs: number }
  | { readonly refusal: HostRefusal };

export type HostRefusal = Extract<
  DestinationRefusal,
  'not-public' | 'unresolvable' | 'lookup-failed' | 'lookup-timeout' | 'lookup-busy'
>;

/** The most addresses of one family. More would only stretch the time until all have failed. */
const MOST_DIALLED = 3;
const LOOKUP_REFUSALS = {
  'not-found': 'unresolvable',
  failed: 'lookup-failed',
  timeout: 'lookup-timeout',
  busy: 'lookup-busy',
} as const;

/**
 * `host` is the `hostname` of a URL that `parseWebhookUrl` gave: a name, or an IPv4 address, for which nothing is
 * looked up. `localhost` and all below it are 127.0.0.1 by definition (RFC 6761), whatever a resolver says. `asker` as
 * for `HostLookup`.
 */
export async function resolveDestination(
  host: string,
  resolver: HostLookup,
  policy: AddressPolicy,
  asker?: string,
): Promise<Destination> {
  const fixed = fixedAddress(host);
  if (fixed !== undefined) return vetted([fixed], Number.POSITIVE_INFINITY, policy);
  const found = await resolver.lookup(host, asker);
  if ('failure' in found) return { refusal: LOOKUP_REFUSALS[found.failure] };
  return vetted(found.addresses, found.ttlMs, policy);
}

/** The address that a host means without any look-up: in decimals, or `localhost`. */
function fixedAddress(host: string): string | undefined {
  if (/^[\d.]+$/.test(host)) return host;
  return /^(?:.+\.)?localhost$/.test(host) ? '127.0.0.1' : undefined;
}

function vetted(found: readonly string[], ttlMs: number, policy: AddressPolicy): Destination {
  const addresses: VettedAddress[] = [];
  for (const text of found) {
    const address = policy.vet(text);
    if (address === undefined) return { refusal: 'not-public' };
    addresses.push(address);
  }
  const dialled = [4, 6].flatMap((family) =>
    addresses.filter((address) => address.family === family).slice(0, MOST_DIALLED),
  );
  const [first, ...rest] = dialled;
  return first === undefined ? { refusal: 'unresolvable' } : { addresses: [first, ...rest], ttlMs };
}
