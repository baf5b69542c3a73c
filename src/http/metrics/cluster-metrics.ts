/** Metrics of a node in its cluster. Without samples for a node that has its log alone. */

import type { ClusterServices } from '../operator/node/cluster-services.ts';
import type { MetricRow } from './metric-row.ts';

export function clusterMetrics(cluster: Pick<ClusterServices, 'status'> | undefined): MetricRow[] {
  const status = cluster?.status;
  return [
    [
      'purser_cluster_leading',
      'Whether the node leads its cluster: 1, or 0 while it follows.',
      status === undefined ? [] : Number(status.role === 'leader'),
    ],
    ['purser_cluster_term', 'The term of the log, as this node knows it.', status?.term ?? []],
    ['purser_cluster_applied_entry', 'The last entry of the log that this node has.', status?.applied ?? []],
    [
      'purser_cluster_confirmed_entry',
      'The last entry of the log that this node knows confirmed.',
      status?.confirmed ?? [],
    ],
  ];
}
