/**
 * Prometheus metrics. Counters are kept by those who count and read when somebody scrapes, so that the
 * purchase path pays an integer increment and no label look-up.
 */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Engine } from '../engine/engine.ts';

export interface MetricSources {
  readonly engine: Engine;
  readonly checkpointPosition: () => number;
}

export class NodeMetrics {
  readonly #registry = new Registry();

  constructor({ engine, checkpointPosition }: MetricSources) {
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
  }

  async render(): Promise<{ contentType: string; text: string }> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  #counter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(read());
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
