/** Metrics of requests: answers and durations of each route of both listeners. */
import type { RefusalCounter } from '../../metrics/refusal-counter.ts';
import type { ListenerMeters } from '../../metrics/request-meter.ts';
import { type HistogramRow, type MetricRow, MS_IN_SECONDS, samplesBy } from './metric-row.ts';

export function requestMetrics(listeners: readonly ListenerMeters[]): MetricRow[] {
  const samples = listeners.flatMap((listener) =>
    Array.from(listener.values()).flatMap(({ labels, answers }) =>
      answers.map(([status, value]) => ({ labels: { ...labels, status }, value })),
    ),
  );
  return [
    [
      'purser_http_requests_total',
      'Requests, by route and class of status; gone: the client left first.',
      samples,
    ],
  ];
}

export function refusalMetrics({ counts }: RefusalCounter): MetricRow[] {
  return [
    [
      'purser_buyer_refusals_total',
      'Requests of buyers that were refused, by error.',
      samplesBy('error', counts),
    ],
  ];
}

/** Routes that were never called are left out: they are most of the operators' ones. */
export function requestDurations(listeners: readonly ListenerMeters[]): HistogramRow {
  const samples = listeners.flatMap((listener) =>
    Array.from(listener.values(), ({ labels, duration }) => ({
      labels: { ...labels },
      figures: duration.figures,
    })).filter(({ figures }) => figures.count > 0),
  );
  return [
    'purser_http_request_duration_seconds',
    'Time from the head of a request to its answer, by route.',
    MS_IN_SECONDS,
    samples,
  ];
}
