/** The nodes that share the log, who leads, and how far each has come. A node without a cluster has its log alone. */
import type { AnswerOf } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { ReasonAction } from '../../parts/dialogs/reason-action.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { Scrolled } from '../../parts/list/scrolled.tsx';
import { type SmallColumn, SmallTable } from '../../parts/list/small-table.tsx';
import { counted } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';

type Status = AnswerOf<'GET /status'>;
type Node = AnswerOf<'GET /cluster'>['nodes'][number];

export function ClusterPanel({ status: { cluster } }: { readonly status: Status }) {
  return (
    <Panel title="Cluster" actions={cluster !== undefined && <HandOver />}>
      {cluster === undefined ? (
        <p class="hint">This node is in no cluster: it has its log alone.</p>
      ) : (
        <Nodes ownNode={cluster.node} />
      )}
    </Panel>
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
      <Facts>
        <Fact name="Leader" is={leader ?? <StatusBadge status="none is known" tone="bad" />} />
        <Fact name="Term" is={counted(term)} class="number" />
      </Facts>
      <Scrolled label="Table of nodes">
        <SmallTable
          label="Nodes"
          columns={columnsOf(ownNode, newest)}
          rows={nodes}
          keyOf={({ node }) => node}
        />
      </Scrolled>
    </>
  );
}

function columnsOf(ownNode: string, newest: number): readonly SmallColumn<Node>[] {
  return [
    {
      name: 'Node',
      cell: ({ node }) => (
        <>
          {node}
          {node === ownNode && <span class="quiet"> (this one)</span>}
        </>
      ),
    },
    {
      name: 'Role',
      cell: ({ role }) => <StatusBadge status={role} tone={role === 'leader' ? 'good' : 'quiet'} />,
    },
    {
      name: 'Has entry',
      align: 'end',
      cell: ({ applied }) => (
        <>
          {counted(applied)}
          {applied < newest && <span class="quiet">{` (−${counted(newest - applied)})`}</span>}
        </>
      ),
    },
    { name: 'Buyers reach it at', isLong: true, cell: ({ url }) => url },
  ];
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
