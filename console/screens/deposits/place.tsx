/** Where a transfer goes, or went: the network and the address there. */
import type { Schema } from '../../api/call-types.ts';

export function Place({ network, address }: Schema<'DepositAddress'>) {
  return (
    <span title={`${network} ${address}`}>
      <span class="quiet">{network}</span> <code>{address}</code>
    </span>
  );
}
