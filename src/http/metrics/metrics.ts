/**
 * Prometheus metrics. Counters are kept by those who count and read when somebody scrapes, so that the
 * purchase path pays an integer increment and no label look-up.
 *
 * Invariant: names, types and labels are those of docs/settings.md's table; they are a contract, which
 * `test/contract/operator/metrics.test.ts` compares. A scrape makes its text in slices, between which purchases have
 * their turns.
 */
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { AccessLogCounters } from '../../access-log/access-log.ts';
import type { AlertCounters } from '../../alerts/alerts.ts';
import type { Engine } from '../../engine/loop/engine.ts';
import type { Measurements } from '../../metrics/measurements.ts';
import type { Checkpointer } from '../../persistence/checkpoint/checkpointer.ts';
import type { JournalWriter } from '../../persistence/journal/journal-writer.ts';
import { Slices } from '../../shared/slices.ts';
import { PURSER_VERSION } from '../../version.ts';
import type { OutboxReport } from '../../webhooks/outbox/thread/outbox-messages.ts';
import type { ClusterServices } from '../operator/node/cluster-services.ts';
import type { TransportName } from '../transport/transport-choice.ts';
import { clusterMetrics } from './cluster-metrics.ts';
import {
  type HistogramRow,
  histogramOf,
  type MetricRow,
  MS_IN_SECONDS,
  metricOf,
  samplesBy,
} from './metric-row.ts';
import { productMetrics } from './product-metrics.ts';
import { refusalMetrics, requestDurations, requestMetrics } from './request-metrics.ts';
import { type SupplierMetricSources, supplierMetrics } from './supplier-metrics.ts';
import { webhookHistograms, webhookMetrics } from './webhook-metrics.ts';

export interface MetricSources extends SupplierMetricSources {
  readonly engine: Engine;
  readonly transport: TransportName;
  readonly isReady: () => boolean;
  readonly checkpointer: Pick<Checkpointer, 'position' | 'lag'>;
  readonly journal: Pick<JournalWriter, 'syncTime' | 'groupSize'>;
  readonly measured: Measurements;
  /** How many products have series of their own, at most. */
  readonly mostProducts: number;
  readonly alertCounters: () => AlertCounters;
  readonly webhookFigures: () => OutboxReport;
  /** Buyers' requests that wait for an event. */
  readonly eventsWaited: () => number;
  readonly accessLogCounters: () => AccessLogCounters;
  /** The rehearsed restores (drills) of the continuous backup; undefined without one. */
  readonly drills: { readonly last: { readonly ok: boolean } | null; readonly ageMs: number } | undefined;
  /** Undefined without a continuous backup. */
  readonly backup: { readonly lagMs: number; readonly position: { readonly seq: number } | null } | undefined;
  /** Undefined for a node that has its log alone. */
  readonly cluster: Pick<ClusterServices, 'status'> | undefined;
}

/**
 * Metrics of the library that aren't shown: the resources that keep the event loop alive, listed one by one and named
 * like counters, and the event loop's delay (`event-loop-delay.ts` says why).
 */
const NOT_SHOWN = [
  ...['handles', 'requests', 'resources'].flatMap((what) => [
    `nodejs_active_${what}`,
    `nodejs_active_${what}_total`,
  ]),
  'nodejs_eventloop_lag_seconds',
  ...['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map((of) => `nodejs_eventloop_lag_${of}_seconds`),
];
const GC_BOUNDS_SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];
/** The library's look at the event loop, which nobody sees, shall cost nothing. */
const HARDLY_EVER_MS = 3_600_000;

export class NodeMetrics {
  #sources: MetricSources;
  /** Metrics of the process: memory, processor time, garbage collection. */
  readonly #process = new Registry();

  constructor(sources: MetricSources) {
    this.#sources = sources;
    collectDefaultMetrics({
      register: this.#process,
      eventLoopMonitoringPrecision: HARDLY_EVER_MS,
      gcDurationBuckets: GC_BOUNDS_SECONDS,
    });
    for (const name of NOT_SHOWN) this.#process.removeSingleMetric(name);
  }

  /** The node has become another one; the process is the same. */
  use(sources: MetricSources): void {
    this.#sources = sources;
  }

  /** The metrics as text. Without `withMoney` sales in USDT are left out. */
  async render(withMoney = true): Promise<{ contentType: string; text: string }> {
    const { engine, measured, mostProducts } = this.#sources;
    const listeners = [measured.buyers, measured.operators];
    const webhooks = this.#sources.webhookFigures();
    const rows = [
      ...nodeMetrics(this.#sources),
      ...requestMetrics(listeners),
      ...refusalMetrics(measured.refusals),
      ...productMetrics(engine.state, measured.sales, mostProducts, withMoney),
      ...supplierMetrics(this.#sources),
      ...webhookMetrics(webhooks, this.#sources.eventsWaited()),
      ...alertMetrics(this.#sources),
      ...accessLogMetrics(this.#sources),
      ...backupMetrics(this.#sources),
      ...clusterMetrics(this.#sources.cluster),
    ];
    const histograms = [
      requestDurations(listeners),
      ...nodeHistograms(this.#sources),
      ...webhookHistograms(webhooks),
    ];
    const figures = new Registry();
    for (const metric of [...rows.map(metricOf), ...histograms.map(histogramOf)]) {
      figures.registerMetric(metric);
    }
    const texts = [await this.#process.metrics()];
    const slices = new Slices();
    for (const [name] of [...rows, ...histograms]) {
      if (slices.isFull) await slices.rest();
      texts.push(await figures.getSingleMetricAsString(name));
    }
    return { contentType: this.#process.contentType, text: `${texts.join('\n')}\n` };
  }
}

function nodeMetrics(sources: MetricSources): MetricRow[] {
  const { engine, transport, isReady, checkpointer, measured } = sources;
  const { counters, state } = engine;
  const { lag } = checkpointer;
  const room = measured.disk.figures;
  return [
    [
      'purser_build_info',
      'Always 1: the versions of Purser and Node, and which HTTP server serves the buyer API.',
      [{ labels: { version: PURSER_VERSION, node: process.versions.node, transport }, value: 1 }],
    ],
    [
      'purser_transport_info',
      'Always 1: which HTTP server serves the buyer API.',
      [{ labels: { transport }, value: 1 }],
    ],
    ['purser_ready', 'Whether the node takes purchases: 1 or 0, as GET /ready says.', isReady() ? 1 : 0],
    [
      'purser_disk_free_bytes',
      'What is free where the data folder is, looked at every ten seconds.',
      room === undefined ? [] : room.freeBytes,
    ],
    [
      'purser_disk_size_bytes',
      'The size of the file system where the data folder is.',
      room === undefined ? [] : room.totalBytes,
    ],
    ['purser_journal_groups_total', 'Group commits.', counters.groups],
    ['purser_journal_facts_total', 'Facts made durable.', counters.facts],
    ['purser_journal_full_total', 'Group commits that failed because the disk was full.', counters.full],
    ['purser_journal_position', 'Sequence number of the last durable fact.', engine.durablePosition],
    [
      'purser_checkpoint_position',
      'Sequence number of the last fact in the checkpoint.',
      checkpointer.position,
    ],
    ['purser_checkpoint_lag_facts', 'Durable facts that the checkpoint lacks.', lag.facts],
    [
      'purser_checkpoint_lag_seconds',
      'For how long the checkpoint has lacked the oldest of them.',
      lag.ms / MS_IN_SECONDS,
    ],
    ['purser_commands_waiting', 'Commands that wait to be decided.', engine.waitingCommands],
    ['purser_orders', 'Orders ever placed, including a few that are not durable yet.', state.orderCount],
    ['purser_accounts', 'Accounts.', state.accounts.size],
    ['purser_products', 'Products.', state.products.size],
  ];
}

/** Metrics of the continuous backup; without samples when there is none. */
function backupMetrics({ backup, drills }: MetricSources): MetricRow[] {
  return [
    [
      'purser_backup_lag_seconds',
      'For how long the continuous backup has lacked the oldest durable fact that it lacks.',
      backup === undefined ? [] : backup.lagMs / MS_IN_SECONDS,
    ],
    [
      'purser_backup_position',
      'Sequence number of the last fact in the continuous backup.',
      backup?.position == null ? [] : backup.position.seq,
    ],
    [
      'purser_backup_drill_success',
      'Whether the last drill of the continuous backup succeeded.',
      drills?.last == null ? [] : Number(drills.last.ok),
    ],
    [
      'purser_backup_drill_age_seconds',
      'Since the last drill ended, or since drills have been due.',
      drills === undefined ? [] : drills.ageMs / MS_IN_SECONDS,
    ],
  ];
}

function nodeHistograms({ journal, measured }: MetricSources): HistogramRow[] {
  return [
    [
      'purser_journal_sync_duration_seconds',
      'Time to write and flush a group of facts.',
      MS_IN_SECONDS,
      journal.syncTime.figures,
    ],
    ['purser_journal_group_facts', 'Facts in a group.', 1, journal.groupSize.figures],
    [
      'purser_event_loop_delay_seconds',
      'How long the event loop of the main thread kept waiting what was due, looked at every 20 ms.',
      MS_IN_SECONDS,
      measured.eventLoopDelay.figures,
    ],
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
