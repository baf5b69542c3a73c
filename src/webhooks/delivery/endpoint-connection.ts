/**
 * A TLS connection to one endpoint, for one request at a time: an undici `Client` with a dialler of its own.
 *
 * Addresses that are dialled have passed the check: each request comes with the addresses that were vetted for it, and
 * the socket is given these in place of a look-up. undici's own connector was rejected: it can't be stopped while it
 * dials, and leaves IP literals, for which there is no look-up, to be checked elsewhere.
 */
import { isIPv4, type LookupFunction } from 'node:net';
import { type SecureContext, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { type buildConnector, Client } from 'undici';
import type { VettedAddresses } from '../destination/address-policy.ts';
import type { DeliveryExchange } from './delivery-exchange.ts';
import { DeliveryFailure } from './delivery-result.ts';

/** Settings of all connections of a node. */
export interface ConnectionSettings {
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
const HTTPS_PORT = 443;

export class EndpointConnection {
  readonly url: URL;
  /** The pool's own: the higher, the later it was given back; undefined while it is in use. */
  idleOrder: number | undefined;
  readonly #settings: ConnectionSettings;
  readonly #client: Client;
  #addresses: VettedAddresses | undefined;
  #dialling: TLSSocket | undefined;
  #isOpen = false;

  /** Dials when it is first used. `onGone` tells that the connection has closed, or could not be made. */
  constructor(url: URL, settings: ConnectionSettings, onGone: (connection: EndpointConnection) => void) {
    this.url = url;
    this.#settings = settings;
    this.#client = new Client(url.origin, {
      connect: (_, callback) => this.#dial(callback),
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

  /** `addresses` are dialled if there is no connection. The exchange learns all that comes of it. */
  post({ headers, body }: OutgoingRequest, addresses: VettedAddresses, exchange: DeliveryExchange): void {
    this.#addresses = addresses;
    const path = this.url.pathname + this.url.search;
    this.#client.dispatch({ method: 'POST', path, headers, body }, exchange);
  }

  /** Breaks off whatever is going on, dialling included. */
  destroy(): void {
    this.#dialling?.destroy();
    this.#client.destroy(new DeliveryFailure('closed', 'the connection was closed'), () => {});
  }

  #dial(callback: buildConnector.Callback): void {
    const { hostname, port } = this.url;
    const addresses = this.#addresses;
    if (addresses === undefined) throw new Error('a connection is dialled by a request');
    const isLiteral = isIPv4(hostname);
    const socket = tlsConnect({
      host: isLiteral ? addresses[0].address : hostname,
      servername: isLiteral ? '' : hostname,
      port: port === '' ? HTTPS_PORT : Number(port),
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
function lookupOf(addresses: VettedAddresses): LookupFunction {
  return (_, { all }, callback) => {
    if (all === true) callback(null, [...addresses]);
    else callback(null, addresses[0].address, addresses[0].family);
  };
}
