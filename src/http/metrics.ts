/**
 * Prometheus metrics. Counters are kept by those who count and read when somebody scrapes, so that the
 * purchase path pays an integer increment and no label look-up.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { AlertCounters } from '../alerts/alerts.ts';
import type { Engine } from '../engine/engine.ts';
import { histogramText } from './histogram-text.ts';
import type { TransportName } from './transport/transport-choice.ts';
import type { WebhookFigures } from './webhook-figures.ts';

export interface MetricSources {
  readonly engine: Engine;
  readonly transport: TransportName;
  readonly checkpointPosition: () => number;
  readonly alertCounters: () => AlertCounters;
  readonly webhookFigures: () => WebhookFigures;
  /** What became of purchases at suppliers. */
  readonly supplierCounts: () => Iterable<readonly [supplierId: number, result: string, count: number]>;
}

type CounterRow = readonly (string | number)[];

export class NodeMetrics {
  readonly #registry = new Registry();
  readonly #webhookFigures: () => WebhookFigures;

  constructor(sources: MetricSources) {
    const { engine, transport, checkpointPosition, alertCounters, webhookFigures, supplierCounts } = sources;
    this.#webhookFigures = webhookFigures;
    collectDefaultMetrics({ register: this.#registry });
    this.#counter('purser_journal_groups_total', 'Group commits.', () => engine.counters.groups);
    this.#counter('purser_journal_facts_total', 'Facts made durable.', () => engine.counters.facts);
    this.#counter(
      'purser_journal_full_total',
      'Groups refused for want of room.',
      () => engine.counters.full,
    );
    this.#gauge('purser_journal_position', 'Sequence number of the last durable fact.', () => {
      return engine.durablePosition;
    });
    this.#gauge('purser_checkpoint_position', 'Fact up to which the checkpoint goes.', checkpointPosition);
    this.#gauge('purser_commands_waiting', 'Commands in mailboxes.', () => engine.waitingCommands);
    this.#gauge('purser_orders', 'Orders ever placed, a few of them not durable yet.', () => {
      return engine.state.lastOrderId;
    });
    this.#gauge('purser_accounts', 'Accounts.', () => engine.state.accounts.size);
    this.#gauge('purser_products', 'Products.', () => engine.state.products.size);
    this.#gauge('purser_supplier_purchases_open', 'Purchases at suppliers whose end is not known.', () => {
      return engine.state.supplierPurchases.size;
    });
    this.#transport(transport);
    this.#suppliers(supplierCounts);
    this.#alerts(alertCounters);
    this.#webhooks(webhookFigures);
  }

  async render(): Promise<{ contentType: string; text: string }> {
    const metrics = await this.#registry.metrics();
    return { contentType: this.#registry.contentType, text: metrics + this.#webhookHistograms() };
  }

  #transport(transport: TransportName): void {
    const help = 'Always 1: which HTTP server serves the buyer API.';
    const info = { name: 'purser_transport_info', help, labelNames: ['transport'] };
    new Gauge({ ...info, registers: [this.#registry] }).set({ transport }, 1);
  }

  #webhooks(figures: () => WebhookFigures): void {
    this.#counters(
      'purser_webhook_attempts_total',
      'Attempts to deliver an event since the start, by what became of them.',
      ['outcome'],
      () => Object.entries(figures().figures.attempts),
    );
    this.#counter(
      'purser_webhook_events_total',
      'Events that came up since the start.',
      () => figures().figures.derived,
    );
    const ends = [
      ['purser_webhook_delivered_total', 'Events delivered, ever.', 'delivered'],
      ['purser_webhook_discarded_total', 'Events discarded after their last attempt, ever.', 'discarded'],
      ['purser_webhook_cancelled_total', 'Events cancelled with their webhook, ever.', 'cancelled'],
    ] as const;
    for (const [name, help, field] of ends) this.#counter(name, help, () => figures()[field]);
    this.#gauge('purser_webhook_pending', 'Events to be attempted, or again.', () => figures().pending);
    this.#gauge('purser_webhook_attempts_under_way', 'Attempts under way.', () => figures().underWay);
    this.#gauge('purser_webhook_position', 'Fact up to which events have come up.', () => figures().position);
  }

  #webhookHistograms(): string {
    const { attemptDuration, deliveryDelay } = this.#webhookFigures().figures;
    return (
      histogramText(
        'purser_webhook_attempt_duration_seconds',
        'How long attempts took, look-up and connecting included.',
        attemptDuration,
      ) +
      histogramText(
        'purser_webhook_delivery_delay_seconds',
        'From what happened to its delivery; without replays.',
        deliveryDelay,
      )
    );
  }

  #suppliers(counts: MetricSources['supplierCounts']): void {
    this.#counters(
      'purser_supplier_purchases_total',
      'Purchases at suppliers, by what became of them.',
      ['supplier', 'result'],
      counts,
    );
  }

  #alerts(counters: () => AlertCounters): void {
    this.#counters(
      'purser_alerts_total',
      'Requests refused with 400, 401 or 429, webhook events discarded, deliveries of suppliers after all, suppliers that leave much open.',
      ['error'],
      () => Object.entries(counters().byError),
    );
    const parts = [
      ['purser_alerts_not_logged_total', 'Alerts without a log line of their own.', 'notLogged'],
      ['purser_alerts_not_posted_total', 'Alerts left out of posts because too many waited.', 'notPosted'],
      ['purser_alert_posts_total', 'Groups of alerts posted to --alert-url.', 'posts'],
      ['purser_alert_posts_failed_total', 'Posts of alerts that failed.', 'failedPosts'],
    ] as const;
    for (const [part, help, field] of parts) this.#counter(part, help, () => counters()[field]);
  }

  #counter(name: string, help: string, read: () => number): void {
    this.#counters(name, help, [], () => [[read()]]);
  }

  /** One counter for each row: the values of its labels, and its count behind them. */
  #counters(name: string, help: string, labelNames: string[], read: () => Iterable<CounterRow>): void {
    new Counter({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const row of read()) {
          const labels = labelNames.map((label, at) => [label, String(row[at])]);
          this.inc(Object.fromEntries(labels), Number(row.at(-1)));
        }
      },
    });
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read());
      },
    });
  }
}
