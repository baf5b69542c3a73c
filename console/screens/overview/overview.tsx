/**
 * Overview: how the shop does now, and what needs somebody. All of it is of one small answer that the node has in memory,
 * asked for with each beat; a shop that has not sold anything yet is told what to do first.
 */
import { call } from '../../api/operator-api.ts';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { nodeStatus } from '../../shell/pulse.ts';
import { Screen } from '../../shell/screen.tsx';
import { FiringPanel } from '../node/alert-list.tsx';
import { FirstSteps } from './first-steps.tsx';
import { AttentionPanel } from './overview-attention.tsx';
import { FigurePanels } from './overview-figures.tsx';
import { CoverPanel } from './overview-stock.tsx';

export function OverviewScreen() {
  const { answer, failure } = useLiveAnswer('overview', load, 'beat');
  const status = nodeStatus.value ?? answer?.status;
  return (
    <Screen title="Overview">
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {answer === undefined && failure === undefined && <p class="loading">Loading…</p>}
      {answer !== undefined && status !== undefined && (
        <>
          {status.orders === 0 && <FirstSteps buyerPort={status.buyerApi.port} />}
          <FigurePanels overview={answer.overview} status={status} />
          <div class="panels is-wide">
            <AttentionPanel overview={answer.overview} />
            <CoverPanel stock={answer.overview.stock} />
            <FiringPanel alerts={answer.alerts} />
          </div>
        </>
      )}
    </Screen>
  );
}

async function load(signal: AbortSignal) {
  const [overview, alerts, status] = await Promise.all([
    call('GET /overview', { signal }),
    call('GET /alerts', { signal }),
    nodeStatus.peek() ?? call('GET /status', { signal }),
  ]);
  return { overview, alerts, status };
}
