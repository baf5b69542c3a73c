/**
 * A TLS connection to one endpoint, for one request at a time: an undici `Client` with a dialler of its own.
 *
 * What is dialled is an address that has passed the check: the host is resolved and vetted each time, and the
 * socket is given the resulting addresses in place of a look-up. undici's own connector was rejected: it can't
 * be stopped while it dials, and leaves IP literals, for which there is no look-up, to be checked elsewhere.
 */
import { isIPv4, type LookupFunction } from 'node:net';
import { type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { type buildConnector, Client } from 'undici';
import type { VettedAddress } from '../destination/address-policy.ts';
import type { DeliveryExchange } from './delivery-exchange.ts';
import { DeliveryFailure } from './delivery-result.ts';
import type { DestinationCache } from './destination-cache.ts';
import type { WebhookTarget } from './webhook-target.ts';

/** What all connections of a node have in common. */
export interface ConnectionSettings {
  readonly destinations: DestinationCache;
  /** Whom to trust. Certificates are always checked. */
  readonly secureContext: SecureContext;
  /** How long an unused connection is kept. */
  readonly idleMs: number;
}

export interface OutgoingRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const MAX_HEADER_BYTES = 16 * 1_024;

export class EndpointConnection {
  readonly target: WebhookTarget;
  /** The pool's own: the higher, the later it was given back; undefined while it is in use. */
  idleOrder: number | undefined;
  readonly #settings: ConnectionSettings;
  readonly #client: Client;
  #dialling: TLSSocket | undefined;
  #isOpen = false;
  #isDestroyed = false;

  /** Dials when it is first used. `onGone` tells that the connection has closed, or could not be made. */
  constructor(
    target: WebhookTarget,
    settings: ConnectionSettings,
    onGone: (connection: EndpointConnection) => void,
  ) {
    this.target = target;
    this.#settings = settings;
    this.#client = new Client(target.origin, {
      connect: (_, callback) => void this.#dial(callback),
      pipelining: 1,
      keepAliveTimeout: settings.idleMs,
      keepAliveMaxTimeout: settings.idleMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The exchange has the one deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const onClosed = () => {
      this.#isOpen = false;
      onGone(this);
    };
    this.#client
      .on('connect', () => {
        this.#isOpen = true;
      })
      .on('disconnect', onClosed)
      .on('connectionError', onClosed);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The exchange learns all that comes of it. */
  post({ headers, body }: OutgoingRequest, exchange: DeliveryExchange): void {
    this.#client.dispatch({ method: 'POST', path: this.target.path, headers, body }, exchange);
  }

  /** Breaks off whatever is going on, dialling included. */
  destroy(): void {
    this.#isDestroyed = true;
    this.#dialling?.destroy();
    this.#client.destroy(new DeliveryFailure('closed', 'the connection was closed'), () => {});
  }

  async #dial(callback: buildConnector.Callback): Promise<void> {
    const { hostname, port } = this.target;
    const destination = await this.#settings.destinations.resolve(hostname);
    if (this.#isDestroyed) return callback(new DeliveryFailure('closed', 'the connection was closed'), null);
    if ('refusal' in destination) return callback(DeliveryFailure.refused(destination.refusal), null);
    const { addresses } = destination;
    const isLiteral = isIPv4(hostname);
    const socket = tlsConnect({
      host: isLiteral ? addresses[0].address : hostname,
      servername: isLiteral ? '' : hostname,
      port,
      lookup: lookupOf(addresses),
      secureContext: this.#settings.secureContext,
      // Said, because NODE_TLS_REJECT_UNAUTHORIZED=0 would turn the default.
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
    });
    this.#dialling = socket.setNoDelay(true);
    let stage: 'connect' | 'tls' = 'connect';
    let isDialled = false;
    const end = (error: DeliveryFailure | undefined) => {
      if (isDialled) return;
      isDialled = true;
      this.#dialling = undefined;
      if (error === undefined) callback(null, socket);
      else callback(error, null);
    };
    socket.once('connect', () => {
      stage = 'tls';
    });
    socket.once('secureConnect', () => end(undefined));
    socket.on('error', (error) => end(DeliveryFailure.because(stage, `${stage} failed`, error)));
    socket.once('close', () => end(new DeliveryFailure(stage, `${stage} failed: the connection was closed`)));
  }
}

/** Gives a socket the addresses that were vetted, whatever it asks for. */
function lookupOf(addresses: readonly [VettedAddress, ...VettedAddress[]]): LookupFunction {
  return (_, { all }, callback) => {
    if (all === true) callback(null, [...addresses]);
    else callback(null, addresses[0].address, addresses[0].family);
  };
}
