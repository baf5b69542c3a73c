/**
 * What runs in the pool's threads: opens the secret, signs, and sends. The secret is readable here only, for as
 * long as signing takes.
 */
import { workerData } from 'node:worker_threads';
import { giveWay } from '../persistence/lmdb/background-thread.ts';
import { AddressPolicy } from './address-policy.ts';
import type { DeliveryResult } from './delivery-result.ts';
import type { DeliveryTask, DeliveryWorkerData } from './delivery-task.ts';
import { DestinationCache } from './destination-cache.ts';
import { EndpointClient } from './endpoint-client.ts';
import { HostResolver } from './host-resolver.ts';
import { SecretVault } from './secret-vault.ts';
import { deliveryHeaders } from './signature.ts';

giveWay();
const data = workerDataOf(workerData);
const vault = new SecretVault(data.masterKey);
const client = new EndpointClient({
  destinations: new DestinationCache({
    resolver: HostResolver.open({ server: data.dnsServer }),
    policy: new AddressPolicy(data.webhookAllow),
  }),
  timeoutMs: data.timeoutMs,
  maxConnections: data.places,
  // How many an endpoint gets is the dispatcher's to say.
  maxConnectionsPerEndpoint: data.places,
});

/** One attempt, signed at this moment. Never rejects. */
export default async function deliver(task: DeliveryTask): Promise<DeliveryResult> {
  const secret = vault.open(task.accountId, task.sealedSecret);
  if (secret === undefined) {
    const message = 'the stored secret cannot be read with this master key: register the webhook again';
    return { error: { code: 'secret', message }, durationMs: 0 };
  }
  const body = Buffer.from(task.body);
  const headers = deliveryHeaders({
    eventType: task.eventType,
    deliveryId: task.eventId,
    requestId: task.requestId,
    secret,
    body,
    signedAtMs: Date.now(),
  });
  return client.deliver({ url: task.url, headers, body });
}

/** The pool hands on what it was given behind a list of its own. */
function workerDataOf(given: unknown): DeliveryWorkerData {
  return (Array.isArray(given) ? given.at(-1) : given) as DeliveryWorkerData;
}
