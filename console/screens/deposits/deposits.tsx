/** Deposits: where customers pay, transfers that nobody claimed, and what is waited for. */

import { CommandLine, purser } from '../../parts/command-line.tsx';
import { ChoiceField } from '../../parts/forms/choice-field.tsx';
import { IdField } from '../../parts/forms/id-field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { may } from '../../shell/roles.ts';
import { queryField, queryId } from '../../shell/router.ts';
import { Screen } from '../../shell/screen.tsx';
import { DepositAddresses } from './deposit-addresses.tsx';
import { DepositList } from './deposit-list.tsx';
import { UnclaimedTransfers } from './unclaimed-transfers.tsx';

const STATES = [
  ['', 'any'],
  ['waiting', 'waiting'],
  ['credited', 'credited'],
  ['expired', 'expired'],
] as const;

type State = Exclude<(typeof STATES)[number][0], ''>;

export function DepositsScreen() {
  const [state, accountId] = [queryField('state'), queryId('accountId')];
  const isAll = state === '' && accountId === undefined;
  return (
    <Screen title="Deposits">
      {may('GET /deposits/addresses') && <DepositAddresses />}
      <UnclaimedTransfers />
      <Panel title="Deposits" beside={<span class="hint">Of the last week at least.</span>}>
        <div class="filters">
          <ChoiceField label="State" name="state" options={STATES} />
          <IdField label="Account" name="accountId" />
        </div>
        <div class="inset">
          <DepositList
            query={{ state: (state || undefined) as State | undefined, accountId }}
            empty={isAll ? 'There are none yet.' : 'No deposit is like this.'}
          />
        </div>
        <CommandLine text={purser('deposits list', [], { state: state || undefined, account: accountId })} />
      </Panel>
    </Screen>
  );
}
