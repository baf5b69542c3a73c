/** The webhooks, wired: registering them, and the outbox, in its thread, that delivers. */
import type { Logger } from 'pino';
import type { Alerts } from '../alerts/alerts.ts';
import type { Config } from '../config/config.ts';
import type { Account } from '../engine/accounts.ts';
import type { Fact } from '../engine/fact.ts';
import type { Engine } from '../engine/loop/engine.ts';
import { HostResolver } from '../outgoing/host-resolver.ts';
import type { DataKeys } from '../persistence/keys/data-keys.ts';
import { SecretCipher } from '../persistence/keys/secret-cipher.ts';
import type { Ship } from '../persistence/shipping/row-shipping.ts';
import type { Lease } from '../threads/lease.ts';
import { AddressPolicy } from '../webhooks/destination/address-policy.ts';
import { OperatorDeliveries } from '../webhooks/operator-deliveries.ts';
import type { OutboxReport } from '../webhooks/outbox/thread/outbox-messages.ts';
import type { OutboxBacklog } from '../webhooks/outbox/thread/outbox-options.ts';
import { type CloseEventGroupCall, WebhookOutbox } from '../webhooks/webhook-outbox.ts';
import { WebhookRegistration } from '../webhooks/webhook-registration.ts';

/** How long attempts under way may take when the node stops; the others are made again after the next start. */
const DRAIN_MS = 3_000;
/** Attempts under way in all, their connections included. */
const PLACES = 2_048;
const MAX_LISTED_ACCOUNTS = 20;

export interface WebhookPartsOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly alerts: Alerts;
  readonly keys: DataKeys;
  /** See `WebhookOutboxOptions`. */
  readonly ship?: Ship | undefined;
  /** The process must stop. */
  readonly onFatal: (error: unknown) => void;
  /** Attempts begin only while it is held. Undefined for a node that shares its log with nobody. */
  readonly lease?: Lease | undefined;
}

export class WebhookParts {
  /** Where buyers register theirs. */
  readonly registrar: WebhookRegistration;
  /** Where operators ask about deliveries. */
  readonly deliveries: OperatorDeliveries;
  readonly #windowMs: number;
  readonly #log: Logger;
  readonly secrets: SecretCipher;
  /**
   * The resolver of registrations alone: deliveries must not wait for the places that those take, nor the other way
   * pass.
   */
  readonly #registrationResolver: HostResolver;
  readonly #outbox: WebhookOutbox;

  private constructor({ config, log, keys }: WebhookPartsOptions, outbox: WebhookOutbox) {
    this.#windowMs = config.groupWindowMs;
    this.#log = log;
    this.#outbox = outbox;
    this.secrets = new SecretCipher(keys, 'webhook secret');
    this.#registrationResolver = new HostResolver({ server: config.dnsServer });
    this.registrar = new WebhookRegistration({
      resolver: this.#registrationResolver,
      policy: new AddressPolicy(config.webhookAllow),
      secrets: this.secrets,
    });
    this.deliveries = new OperatorDeliveries(config.dataDir, outbox, Date.now);
  }

  /** Rejects when `webhooks.mdb` doesn't belong to the journal. */
  static async start(options: WebhookPartsOptions): Promise<WebhookParts> {
    const { config, log, alerts, keys, ship, lease, onFatal } = options;
    const opened: { parts?: WebhookParts } = {};
    const outbox = await WebhookOutbox.start({
      folder: config.dataDir,
      windowMs: config.groupWindowMs,
      retryWaitsMs: config.webhookRetriesMs,
      historyMs: config.webhookHistoryMs,
      worker: {
        keys: keys.shared,
        timeoutMs: config.webhookTimeoutMs,
        places: PLACES,
        webhookAllow: config.webhookAllow,
        dnsServer: config.dnsServer,
        lease: lease?.shared,
      },
      ship,
      onSettled: () => opened.parts?.onSettled(),
      onFatal,
      onDiscarded: (count, events) => alerts.raiseDiscarded(count, events),
      onDelay: () => log.error('the disk is full: webhooks are delayed until space is free'),
    });
    opened.parts = new WebhookParts(options, outbox);
    return opened.parts;
  }

  /** The receiver of `WebhookOutbox.settled`. */
  onSettled: () => void = () => {};

  /** The groups of events that it makes. */
  get groups(): Pick<WebhookOutbox, 'settled' | 'groupsAt' | 'settle' | 'watch'> {
    return this.#outbox;
  }

  readonly figures = (): OutboxReport => this.#outbox.report;

  readonly backlog = (): Promise<OutboxBacklog | undefined> => this.#outbox.backlog();

  /** See `WebhookOutbox`. */
  get isShipping(): boolean {
    return this.#outbox.isShipping;
  }

  /** The state is what the journal gave when the node started. Nothing is sent before. */
  open(engine: Engine): void {
    this.#tellUnreadableSecrets(engine.state.accounts.values());
    const closeEventGroup: CloseEventGroupCall = (ended) =>
      engine.submit({ kind: 'CloseEventGroup', windowMs: this.#windowMs }, ended);
    this.#outbox.open(engine.durablePosition, closeEventGroup, engine.state.gap !== null);
  }

  /** See `WebhookOutbox`: for every group, before any of its answers leaves. */
  noteChanges(position: number, facts: readonly Fact[]): void {
    this.#outbox.noteChanges(position, facts);
  }

  /** See `WebhookOutbox`. */
  readThrough(position: number): void {
    this.#outbox.readThrough(position);
  }

  /** Stops sending. Later events go out after the next start. */
  async stop(): Promise<void> {
    await this.#outbox.stop(DRAIN_MS);
  }

  /** Closes registrations and operators' calls. No more registrations may come. */
  async close(): Promise<void> {
    this.#registrationResolver.close();
    await this.deliveries.close();
  }

  #tellUnreadableSecrets(accounts: Iterable<Account>): void {
    const unreadable: number[] = [];
    for (const { accountId, webhook } of accounts) {
      if (webhook === null || this.secrets.open(webhook.sealedSecret, accountId) !== undefined) continue;
      unreadable.push(accountId);
    }
    if (unreadable.length === 0) return;
    this.#log.warn(
      { accounts: unreadable.length, accountIds: unreadable.slice(0, MAX_LISTED_ACCOUNTS) },
      'cannot decrypt the webhook secrets of some accounts with this master key: they must register again',
    );
  }
}
