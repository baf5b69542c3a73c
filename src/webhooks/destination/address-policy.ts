/**
 * Which addresses a webhook may reach: public ones, and those inside a range of `--webhook-allow`.
 *
 * IPv4-mapped, NAT64, 6to4 and Teredo addresses are refused whatever they embed: no honest receiver has one. On a
 * network that has IPv6 only, name servers make a NAT64 address for every host; there the operator allows the prefix,
 * and the IPv4 address inside is judged like any other. Public addresses of IPv6 are in 2000::/3 only, as nothing else
 * was ever given out: a list of what is private alone, such as ipaddr.js's, takes the forgotten `::/96` for public.
 */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** An address that may be dialled, in its shortest form. */
export interface VettedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export type VettedAddresses = readonly [VettedAddress, ...VettedAddress[]];

const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');
/** RFC 6052. */
const NAT64 = ipaddr.IPv6.parse('64:ff9b::');
/** Azure's host agent: an address that looks public and gives credentials to whoever asks. */
const AZURE_HOST_AGENT = '168.63.129.16';

export class AddressPolicy {
  readonly #allowed: readonly [Address, number][];

  /** `allowedRanges` as `address/prefix`; throws when one is not that. */
  constructor(allowedRanges: readonly string[]) {
    this.#allowed = allowedRanges.map((range) => ipaddr.parseCIDR(range));
  }

  /** The address to dial for `text`, an IP literal in any spelling; undefined when it must not be dialled. */
  vet(text: string): VettedAddress | undefined {
    if (!ipaddr.isValid(text)) return undefined;
    const address = ipaddr.parse(text);
    if (isIPv6(address) && address.isIPv4MappedAddress()) return undefined;
    const target = endOfNat64(address);
    if (target !== address && !this.#isAllowed(address)) return undefined;
    if (!isPublic(target) && !this.#isAllowed(target)) return undefined;
    return { address: address.toString(), family: address.kind() === 'ipv4' ? 4 : 6 };
  }

  #isAllowed(address: Address): boolean {
    return this.#allowed.some(
      ([start, prefix]) => start.kind() === address.kind() && address.match(start, prefix),
    );
  }
}

function isIPv6(address: Address): address is ipaddr.IPv6 {
  return address.kind() === 'ipv6';
}

function endOfNat64(address: Address): Address {
  if (!isIPv6(address) || !address.match(NAT64, 96)) return address;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return isIPv6(address) ? address.match(GLOBAL_UNICAST, 3) : address.toString() !== AZURE_HOST_AGENT;
}
