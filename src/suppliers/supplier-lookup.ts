/**
 * Looks up the hosts of suppliers without `dns.lookup`, which would block the threads that commit the journal (see
 * `HostResolver`). Private addresses are allowed: the operator has named the supplier.
 */
import type { LookupFunction } from 'node:net';
import { isIPv6 } from 'node:net';
import type { HostLookup } from '../outgoing/host-resolver.ts';

/** `localhost` is in no name server, but a first trial uses it. */
const LOCALHOST: readonly string[] = ['127.0.0.1', '::1'];

export function supplierLookup(resolver: HostLookup): LookupFunction {
  return (host, options, callback) => {
    const found = host === 'localhost' ? Promise.resolve({ addresses: LOCALHOST }) : resolver.lookup(host);
    void found.then((result) => {
      const addresses = 'addresses' in result ? result.addresses : [];
      const [first] = addresses;
      if (first === undefined) {
        const reason = 'failure' in result ? result.failure : 'not-found';
        callback(Object.assign(new Error(`${host}: ${reason}`), { code: 'ENOTFOUND' }), '');
      } else if (options.all === true) {
        callback(
          null,
          addresses.map((address) => ({ address, family: familyOf(address) })),
        );
      } else callback(null, first, familyOf(first));
    });
  };
}

function familyOf(address: string): 4 | 6 {
  return isIPv6(address) ? 6 : 4;
}
