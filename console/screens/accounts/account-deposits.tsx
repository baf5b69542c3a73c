/** The deposits of an account: what it is to pay, and what it has paid. */
import { CommandLine, purser } from '../../parts/command-line.tsx';
import { Panel } from '../../parts/panel.tsx';
import { addressOf } from '../../shell/router.ts';
import { DepositList } from '../deposits/deposit-list.tsx';

export function AccountDeposits({ accountId }: { readonly accountId: number }) {
  return (
    <Panel
      title="Deposits"
      beside={
        <a class="more" href={addressOf('deposits', undefined, { accountId })}>
          With all others
        </a>
      }
    >
      <div class="inset">
        <DepositList query={{ accountId }} isOfOne empty="It has opened none in the last week." />
      </div>
      <CommandLine text={purser('deposits list', [], { account: accountId })} />
    </Panel>
  );
}
