/** The nodes that share the log, who leads, and how far each has come. A node without a cluster has its log alone. */
import type { AnswerOf } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { ReasonAction } from '../../parts/dialogs/reason-action.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Scrolled } from '../../parts/list/scrolled.tsx';
import { counted } from '../../parts/money.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';

type Status = AnswerOf<'GET /status'>;

export function ClusterPanel({ status: { cluster } }: { readonly status: Status }) {
  return (
    <section class="panel" aria-labelledby="cluster">
      <header>
        <h2 id="cluster">Cluster</h2>
        {cluster !== undefined && <HandOver />}
      </header>
      {cluster === undefined ? (
        <p class="hint">This node is in no cluster: it has its log alone.</p>
      ) : (
        <Nodes ownNode={cluster.node} />
      )}
    </section>
  );
}

function Nodes({ ownNode }: { readonly ownNode: string }) {
  const { answer, failure } = useLiveAnswer('cluster', (signal) => call('GET /cluster', { signal }), 'beat');
  if (answer === undefined) return failure === undefined ? null : <ErrorNotice failure={failure} />;
  const { leader, term, nodes } = answer;
  const newest = Math.max(0, ...nodes.map(({ applied }) => applied));
  return (
    <>
      {failure !== undefined && <ErrorNotice failure={failure} />}
      <dl class="facts">
        <dt>Leader</dt>
        <dd>{leader ?? <StatusBadge status="none is known" tone="bad" />}</dd>
        <dt>Term</dt>
        <dd class="number">{counted(term)}</dd>
      </dl>
      <Scrolled label="Table of nodes">
        <table class="plain stacks" aria-label="Nodes">
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">Role</th>
              <th scope="col" class="at-end">
                Has entry
              </th>
              <th scope="col">Buyers reach it at</th>
            </tr>
          </thead>
          <tbody>
            {nodes.map(({ node, role, applied, url }) => (
              <tr key={node}>
                <td>
                  {node}
                  {node === ownNode && <span class="quiet"> (this one)</span>}
                </td>
                <td data-name="Role">
                  <StatusBadge status={role} tone={role === 'leader' ? 'good' : 'quiet'} />
                </td>
                <td data-name="Has entry" class="at-end">
                  {counted(applied)}
                  {applied < newest && <span class="quiet">{` (−${counted(newest - applied)})`}</span>}
                </td>
                <td data-name="Buyers reach it at" class="name">
                  {url}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </>
  );
}

function HandOver() {
  return (
    <ReasonAction
      name="Hand over"
      needs="POST /cluster/handover"
      look="small"
      isGrave
      about="The node that leads answers what is under way, and its process ends; another one leads within a second or two. The console at a node that does not lead shows nothing: open it at the new leader."
      command={(given) => purser('cluster handover', [], given)}
      run={(body) => call('POST /cluster/handover', { body })}
      onDone={({ leader }) => announce(leader === null ? 'Handing over.' : `${leader} hands over.`)}
    />
  );
}
