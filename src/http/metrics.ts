/**
 * Prometheus metrics. Counters are kept by those who count and read when somebody scrapes, so that the
 * purchase path pays an integer increment and no label look-up.
 */
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client';
import type { AccessLogCounters } from '../access-log/access-log.ts';
import type { AlertCounters } from '../alerts/alerts.ts';
import type { Engine } from '../engine/engine.ts';
import type { OutboxReport } from '../webhooks/outbox/thread/outbox-messages.ts';
import { histogramOf, type MetricRow, metricOf, type Sample } from './metric-row.ts';
import type { TransportName } from './transport/transport-choice.ts';

export interface MetricSources {
  readonly engine: Engine;
  readonly transport: TransportName;
  readonly checkpointPosition: () => number;
  readonly alertCounters: () => AlertCounters;
  readonly webhookFigures: () => OutboxReport;
  readonly accessLogCounters: () => AccessLogCounters;
  /** What became of purchases at suppliers. */
  readonly supplierCounts: () => Iterable<readonly [supplierId: number, result: string, count: number]>;
}

export class NodeMetrics {
  readonly #sources: MetricSources;
  /** Of the process: memory, processor time, the event loop. */
  readonly #process = new Registry();

  constructor(sources: MetricSources) {
    this.#sources = sources;
    collectDefaultMetrics({ register: this.#process });
  }

  async render(): Promise<{ contentType: string; text: string }> {
    const webhooks = this.#sources.webhookFigures();
    const rows = [
      ...nodeMetrics(this.#sources),
      ...webhookMetrics(webhooks),
      ...alertMetrics(this.#sources),
      ...accessLogMetrics(this.#sources),
    ];
    const figures = new Registry();
    for (const metric of [...rows.map(metricOf), ...webhookHistograms(webhooks)])
      figures.registerMetric(metric);
    const { contentType } = this.#process;
    return { contentType, text: await Registry.merge([this.#process, figures]).metrics() };
  }
}

function nodeMetrics({ engine, transport, checkpointPosition, supplierCounts }: MetricSources): MetricRow[] {
  const { counters, state } = engine;
  const supplierPurchases = Array.from(supplierCounts(), ([supplier, result, count]): Sample => {
    return { labels: { supplier, result }, value: count };
  });
  return [
    ['purser_journal_groups_total', 'Group commits.', counters.groups],
    ['purser_journal_facts_total', 'Facts made durable.', counters.facts],
    ['purser_journal_full_total', 'Group commits that failed because the disk was full.', counters.full],
    ['purser_journal_position', 'Sequence number of the last durable fact.', engine.durablePosition],
    [
      'purser_checkpoint_position',
      'Sequence number of the last fact in the checkpoint.',
      checkpointPosition(),
    ],
    ['purser_commands_waiting', 'Commands that wait to be decided.', engine.waitingCommands],
    ['purser_orders', 'Orders ever placed, including a few that are not durable yet.', state.lastOrderId],
    ['purser_accounts', 'Accounts.', state.accounts.size],
    ['purser_products', 'Products.', state.products.size],
    [
      'purser_supplier_purchases_open',
      'Supplier purchases that are open: held, pending or unresolved.',
      state.supplierPurchases.size,
    ],
    [
      'purser_transport_info',
      'Always 1: which HTTP server serves the buyer API.',
      [{ labels: { transport }, value: 1 }],
    ],
    ['purser_supplier_purchases_total', 'Supplier purchases, by result.', supplierPurchases],
  ];
}

function alertMetrics({ alertCounters }: MetricSources): MetricRow[] {
  const { byError, firing, notLogged, notPosted, posts, failedPosts } = alertCounters();
  return [
    [
      'purser_alerts_total',
      'Alerts, by error. Of a state that begins and ends, the beginnings.',
      samplesBy('error', byError),
    ],
    ['purser_alerts_firing', 'States that go on, by the error of their alert.', samplesBy('error', firing)],
    ['purser_alerts_not_logged_total', 'Alerts without a log line of their own.', notLogged],
    ['purser_alerts_not_posted_total', 'Alerts left out of posts because too many waited.', notPosted],
    ['purser_alert_posts_total', 'Groups of alerts posted to --alert-url.', posts],
    ['purser_alert_posts_failed_total', 'Posts of alerts that failed.', failedPosts],
  ];
}

function accessLogMetrics({ accessLogCounters }: MetricSources): MetricRow[] {
  const { lines, lost } = accessLogCounters();
  return [
    ['purser_access_log_lines_total', 'Lines handed over to the access log.', lines],
    ['purser_access_log_lost_total', 'Lines of the access log that could not be written.', lost],
  ];
}

function webhookMetrics(webhooks: OutboxReport): MetricRow[] {
  const { figures, delivered, discarded, cancelled, pending, underWay, position } = webhooks;
  return [
    [
      'purser_webhook_attempts_total',
      'Attempts to deliver an event since the start, by outcome.',
      samplesBy('outcome', figures.attempts),
    ],
    ['purser_webhook_events_total', 'Events derived from facts since the start.', figures.derived],
    ['purser_webhook_delivered_total', 'Events delivered, ever.', delivered],
    ['purser_webhook_discarded_total', 'Events discarded after their last attempt, ever.', discarded],
    ['purser_webhook_cancelled_total', 'Events cancelled with their webhook, ever.', cancelled],
    ['purser_webhook_pending', 'Events that wait for their first attempt or for another one.', pending],
    ['purser_webhook_attempts_under_way', 'Attempts under way.', underWay],
    ['purser_webhook_position', 'Sequence number of the last fact from which events were derived.', position],
  ];
}

function webhookHistograms({ figures: { attemptDuration, deliveryDelay } }: OutboxReport): Metric[] {
  return [
    histogramOf(
      'purser_webhook_attempt_duration_seconds',
      'How long attempts took, look-up and connecting included.',
      attemptDuration,
    ),
    histogramOf(
      'purser_webhook_delivery_delay_seconds',
      'Time from the fact to the delivery of its event, without replays.',
      deliveryDelay,
    ),
  ];
}

function samplesBy(label: string, counts: Readonly<Record<string, number>>): Sample[] {
  return Object.entries(counts).map(([value, count]) => ({ labels: { [label]: value }, value: count }));
}
