/** The transports every case of this folder runs on, and a server on one of them. */
import { describe } from 'node:test';
import { openNodeTransport } from '../../../src/http/transport/node.ts';
import type { Exchange, Listener, Transport } from '../../../src/http/transport/transport.ts';
import { openUwsTransport } from '../../../src/http/transport/uws.ts';
import { RequestMeter } from '../../../src/metrics/request-meter.ts';
import { WITHOUT_UWS } from '../../support/nodes/uws-binary.ts';

/** For what node:http alone can do. */
export const openNode = async () => openNodeTransport();

interface TransportUnderTest {
  readonly name: 'uws' | 'node';
  readonly open: () => Promise<Transport>;
  readonly skip: false | string;
}

export const TRANSPORTS: readonly TransportUnderTest[] = [
  { name: 'uws', open: openUwsTransport, skip: WITHOUT_UWS },
  { name: 'node', open: openNode, skip: false },
];

/** Declares the same cases once for each transport. */
export function onBothTransports(
  subject: string,
  cases: (open: () => Promise<Transport>, name: 'uws' | 'node') => void,
): void {
  for (const { name, open, skip } of TRANSPORTS) {
    describe(`${subject}, on ${name}`, { skip }, () => cases(open, name));
  }
}

/** Known to the servers as a frequent path, by POST. */
export const FREQUENT_POST = '/a/often';
export const FALLBACK_BODY = '{"success":false}';

export interface Served {
  readonly port: number;
  readonly listener: Listener;
  /** The errors that `onFault` got. */
  readonly faults: unknown[];
  /** The path, status and bytes of each request that has ended. */
  readonly ended: (readonly [path: string, status: number, bytes: number])[];
  /** The addresses of requests that were refused as requests of their own, with a status of 400. */
  readonly refused: string[];
  /** The counter of the replies that `onExchange` leaves to it. */
  readonly meter: RequestMeter;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Listens on a free loopback port until disposed of. */
export async function serve<Given extends Exchange>(
  open: () => Promise<Transport<Given>>,
  onExchange: (exchange: Given) => void,
  host = '127.0.0.1',
): Promise<Served> {
  const faults: unknown[] = [];
  const ended: Served['ended'] = [];
  const refused: string[] = [];
  const meter = new RequestMeter({ listener: 'buyer', method: 'any', route: 'none' });
  const transport = await open();
  const listener = await transport.listen({
    host,
    port: 0,
    onExchange,
    meter,
    frequentPost: FREQUENT_POST,
    onFault: (error) => faults.push(error),
    onEnded: ({ path }, status, bytes) => ended.push([path, status, bytes]),
    fallbackReply: () => ({ headers: [['content-type', 'application/json']], body: FALLBACK_BODY }),
    refusalReply: (message, address, answeredId) => {
      if (answeredId === undefined) refused.push(address);
      return { headers: [['x-refused', 'yes']], body: message };
    },
  });
  return {
    port: listener.port,
    listener,
    faults,
    ended,
    refused,
    meter,
    [Symbol.asyncDispose]: () => listener.stop(0),
  };
}

/** Replies with the body it was sent, or with 413 and the reason why there is none. */
export function echo(maxBytes = 1024 * 1024): (exchange: Exchange) => void {
  return (exchange) => {
    exchange.readBody(maxBytes, (body) => {
      if (typeof body === 'string') exchange.reply(413, [], body);
      else exchange.reply(200, [['content-type', 'text/plain']], `echo:${Buffer.from(body).toString()}`);
    });
  };
}
