/** Where customers pay, and whether anybody watches it; without an address, how deposits are turned on. */
import { call } from '../../api/operator-api.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { counted } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Ago } from '../../parts/time.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { Place } from './place.tsx';

export function DepositAddresses() {
  const { answer, failure } = useLiveAnswer(
    'deposit addresses',
    // Whoever looks here is no watcher.
    (signal) => call('GET /deposits/addresses', { query: { watching: false }, signal }),
    'beat',
  );
  if (failure !== undefined) return <ErrorNotice failure={failure} />;
  if (answer === undefined) return null;
  const { addresses, confirmations, heardAt } = answer;
  if (addresses.length === 0) return <HowToTurnOn />;
  return (
    <Panel title="Where customers pay">
      <Facts>
        <Fact name="Addresses">
          {addresses.map((place) => (
            <div key={`${place.network} ${place.address}`}>
              <Place {...place} />
            </div>
          ))}
        </Fact>
        <Fact name="Credited from" is={`${counted(confirmations)} confirmations`} />
        <Fact name="Watcher" class={heardAt === undefined ? 'is-low' : ''}>
          {heardAt === undefined ? (
            'none was heard of since the node started: transfers are not seen'
          ) : (
            <>
              last heard of <Ago at={heardAt} />
            </>
          )}
        </Fact>
      </Facts>
    </Panel>
  );
}

function HowToTurnOn() {
  return (
    <Panel title="Deposits are off">
      <p>
        The node has no address that customers could pay to. Start it with{' '}
        <code>--deposit-address trc20=ADDRESS</code>, an address of yours, and run{' '}
        <code>purser deposits watch</code> beside it: then wallets are credited by what comes there.
      </p>
    </Panel>
  );
}
