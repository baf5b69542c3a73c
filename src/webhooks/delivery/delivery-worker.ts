/**
 * The program of the pool's threads: opens the secret, signs, and sends. Secrets are readable here only, those of
 * accounts that were delivered to lately: opening one takes as long as signing with it.
 *
 * An attempt by a configuration that is no longer the account's sends nothing: that is looked at before signing, when
 * the request is written, and then several times a second, which breaks off what is under way.
 */
import { workerData } from 'node:worker_threads';
import { HostResolver } from '../../outgoing/host-resolver.ts';
import { LatestEntries } from '../../outgoing/latest-entries.ts';
import { DataKeys } from '../../persistence/keys/data-keys.ts';
import { SecretCipher } from '../../persistence/keys/secret-cipher.ts';
import { giveWay } from '../../threads/give-way.ts';
import { Lease } from '../../threads/lease.ts';
import { AddressPolicy } from '../destination/address-policy.ts';
import { WebhookChanges } from '../webhook-changes.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import type { DeliveryResult } from './delivery-result.ts';
import type { DeliveryTask, DeliveryWorkerData } from './delivery-task.ts';
import { DestinationCache } from './destination-cache.ts';
import { EndpointClient, OUTDATED } from './endpoint-client.ts';

const MAX_LOOKUP_MS = 5_000;
/**
 * The share of all places for look-ups: for hosts that were slow lately, twice the dispatcher's share for failing
 * accounts; and for all other hosts.
 */
const LOOKUP_SHARE = 1 / 2;
const MAX_SECRETS = 4_096;

giveWay();
const data = workerDataOf(workerData);
const cipher = new SecretCipher(DataKeys.of(data.keys), 'webhook secret');
const secrets = new LatestEntries<number, { readonly sealedSecret: string; readonly secret: string }>(
  MAX_SECRETS,
);
const changes = WebhookChanges.of(data.changes);
const lease = data.lease && new Lease(data.lease);
const client = new EndpointClient({
  destinations: new DestinationCache({
    resolver: new HostResolver({
      server: data.dnsServer,
      // What is left of an attempt's time is the receiver's.
      deadlineMs: Math.min(MAX_LOOKUP_MS, data.timeoutMs / 2),
      places: Math.ceil(data.places * LOOKUP_SHARE),
      // Each attempt has one at most.
      maxWaiting: data.places,
    }),
    policy: new AddressPolicy(data.webhookAllow),
  }),
  timeoutMs: data.timeoutMs,
  maxConnections: data.places,
});

/** One attempt, signed at this moment. Never rejects. */
export default function deliver(task: DeliveryTask): DeliveryResult | Promise<DeliveryResult> {
  const signedAtMs = Date.now();
  const isCurrent = () => lease?.isHeld !== false && changes.isCurrent(task.accountId, task.position);
  if (!isCurrent()) return { error: OUTDATED, durationMs: 0 };
  const secret = secretOf(task);
  if (secret === undefined) {
    const message = 'the stored secret cannot be read with this master key: register the webhook again';
    return { error: { code: 'secret', message }, durationMs: 0 };
  }
  const body = Buffer.from(task.body);
  const headers = deliveryHeaders(task, secret, body, signedAtMs);
  return client.deliver({ url: task.url, headers, body, isCurrent });
}

/** Undefined when no data key opens it. */
function secretOf({ accountId, sealedSecret }: DeliveryTask): string | undefined {
  const known = secrets.get(accountId);
  if (known?.sealedSecret === sealedSecret) return known.secret;
  const secret = cipher.open(sealedSecret, accountId);
  if (secret !== undefined) secrets.set(accountId, { sealedSecret, secret });
  return secret;
}

/** The pool hands on what it was given behind a list of its own. */
function workerDataOf(given: unknown): DeliveryWorkerData {
  return (Array.isArray(given) ? given.at(-1) : given) as DeliveryWorkerData;
}
