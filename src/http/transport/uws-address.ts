/** The client's address as the program gets it: IPv6 in its short form, IPv4-mapped IPv6 as IPv4. */
import { SocketAddress } from 'node:net';
import type { UwsResponse } from './uws-binding.ts';

export function addressText(response: UwsResponse): string {
  const bytes = new Uint8Array(response.getRemoteAddress());
  if (bytes.length === 4) return bytes.join('.');
  const mapped = bytes.length === 16 && bytes.subarray(0, 12).every((byte, i) => byte === (i < 10 ? 0 : 255));
  if (mapped) return bytes.subarray(12).join('.');
  const text = Buffer.from(response.getRemoteAddressAsText()).toString('latin1');
  return new SocketAddress({ address: text, family: 'ipv6' }).address;
}
