/** The scene of a delivery's test: an authority, name server and client, all stopped afterwards. */

import {
  type HostLookup,
  HostResolver,
  type HostResolverOptions,
} from '../../../src/outgoing/host-resolver.ts';
import { DestinationCache } from '../../../src/webhooks/delivery/destination-cache.ts';
import {
  EndpointClient,
  type EndpointClientOptions,
} from '../../../src/webhooks/delivery/endpoint-client.ts';
import { AddressPolicy } from '../../../src/webhooks/destination/address-policy.ts';
import { DnsServer } from '../../support/servers/dns-server.ts';
import { TestAuthority } from '../../support/servers/test-authority.ts';
import { type Behaviour, TlsReceiver } from '../../support/servers/tls-receiver.ts';

export interface ClientOptions extends Partial<Omit<EndpointClientOptions, 'destinations'>> {
  /** Default: all of 127.0.0.0/8, as with `--webhook-allow`. */
  readonly allow?: readonly string[];
  readonly nowMs?: () => number;
  /** Default: one that asks the scene's name server. */
  readonly resolver?: HostLookup;
}

export class WebhookScene {
  readonly authority = new TestAuthority();
  readonly dns: DnsServer;
  readonly #stops: (() => void)[] = [];

  private constructor(dns: DnsServer) {
    this.dns = dns;
    this.#stops.push(() => dns.stop());
  }

  static async open(): Promise<WebhookScene> {
    return new WebhookScene(await DnsServer.start());
  }

  resolver(options: Partial<HostResolverOptions> = {}): HostResolver {
    const resolver = new HostResolver({ server: this.dns.address, ...options });
    this.#stops.push(() => resolver.close());
    return resolver;
  }

  client({ allow = ['127.0.0.0/8'], nowMs, resolver, ...options }: ClientOptions = {}): EndpointClient {
    const destinations = new DestinationCache({
      // Attempts have a deadline of their own.
      resolver: resolver ?? this.resolver({ deadlineMs: 60_000 }),
      policy: new AddressPolicy(allow),
      ...(nowMs === undefined ? {} : { nowMs }),
    });
    const ca = this.authority.certificate;
    const client = new EndpointClient({
      destinations,
      timeoutMs: 30_000,
      maxConnections: 64,
      ca,
      ...options,
    });
    this.#stops.push(() => client.close());
    return client;
  }

  /** A receiver that `name` resolves to, with a certificate for the name and for its address. */
  async receiver(
    name: string,
    behaviour?: Behaviour,
    validity: 'valid' | 'expired' = 'valid',
  ): Promise<TlsReceiver> {
    const receiver = await TlsReceiver.start((address) => this.authority.issue([name, address], validity));
    if (behaviour !== undefined) receiver.behaviour = behaviour;
    this.#stops.push(() => receiver.stop());
    this.dns.set(name, [{ type: 'A', data: receiver.address }]);
    return receiver;
  }

  onClose(stop: () => void): void {
    this.#stops.push(stop);
  }

  close(): void {
    for (const stop of this.#stops.reverse()) stop();
  }
}
