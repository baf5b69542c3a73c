/** Where a node listens, with which certificate, and what it answers when a request or a port is beyond it. */
import type { Logger } from 'pino';
import type { RefusedRequest } from '../alerts/alert.ts';
import type { Config } from '../config/config.ts';
import { BUYER_BASE_PATH } from '../http/buyer/buyer-api.ts';
import { badRequest, INTERNAL_ERROR } from '../http/errors.ts';
import { OPERATOR_BASE_PATH } from '../http/operator/operator-api.ts';
import { errorJson, jsonHeaders } from '../http/reply.ts';
import type { RequestIds } from '../http/request-ids.ts';
import { readTlsIdentity, type TlsIdentity } from '../http/transport/tls-identity.ts';
import type { Exchange, Listener, ListenOptions, Transport } from '../http/transport/transport.ts';

export interface ListenerOptions<Served extends Exchange>
  extends Omit<ListenOptions<Served>, 'fallbackReply' | 'refusalReply'> {
  readonly transport: Transport<Served>;
  readonly requestIds: Pick<RequestIds, 'next'>;
  /** Told of what the HTTP parser itself refuses (SPEC.md §5); absent when nobody is alerted. */
  readonly onRefused?: (request: RefusedRequest) => void;
}

/** The parser understood no method and no path. */
const NOTHING_KNOWN = { method: '', path: '', route: '', accountId: 0, operator: '' };

/** Throws an error whose message is one line that says what to do. */
export async function listen<Served extends Exchange>(options: ListenerOptions<Served>): Promise<Listener> {
  const { transport, requestIds, onRefused, ...where } = options;
  const fallbackReply = (givenId: string) => {
    const requestId = givenId === '' ? requestIds.next() : givenId;
    return { headers: jsonHeaders(requestId), body: errorJson(requestId, INTERNAL_ERROR) };
  };
  const refusalReply = (message: string, clientAddress: string, answeredId?: string) => {
    const requestId = answeredId || requestIds.next();
    const body = errorJson(requestId, badRequest(message));
    if (answeredId === undefined) {
      where.meter?.count(400);
      const from = clientAddress === '' ? {} : { address: clientAddress };
      onRefused?.({ requestId, status: 400, message, method: '', path: '', ...from });
      const refused = { ...NOTHING_KNOWN, requestId, clientAddress };
      where.onEnded?.(refused, 400, Buffer.byteLength(body), performance.now(), 0);
    }
    return { headers: jsonHeaders(requestId), body };
  };
  try {
    return await transport.listen({ ...where, fallbackReply, refusalReply });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `cannot listen on ${where.host}:${where.port}: ${reason}; choose another address or port`,
      {
        cause: error,
      },
    );
  }
}

type TlsConfig = Pick<Config, 'tlsCert' | 'tlsKey'>;

/**
 * The certificate as its files are now; undefined where none is set. Throws an error whose message is one line that
 * says what is wrong.
 */
export function buyerIdentity({ tlsCert, tlsKey }: TlsConfig): TlsIdentity | undefined {
  return tlsCert === undefined || tlsKey === undefined ? undefined : readTlsIdentity(tlsCert, tlsKey);
}

/**
 * Reads the certificate again, which another program may have renewed. One that can't be used is refused, and the old
 * one stays.
 */
export function renewCertificate(config: TlsConfig, buyers: Listener, log: Logger): void {
  try {
    const identity = buyerIdentity(config);
    if (identity === undefined) return;
    buyers.renew(identity);
    log.info({ names: identity.names, expiresAt: identity.expiresAt }, 'the certificate was read again');
  } catch (error) {
    log.error(
      `the certificate was not renewed, and the one of before stays in use: ${(error as Error).message}`,
    );
  }
}

/** `config` has the ports that were chosen. */
export function buyerUrlOf({ host, port, tlsCert }: Pick<Config, 'host' | 'port' | 'tlsCert'>): string {
  return urlOf(tlsCert === undefined ? 'http' : 'https', host, port, BUYER_BASE_PATH);
}

/** The URL of the operators' API. */
export function operatorUrlOf({
  operatorHost,
  operatorPort,
}: Pick<Config, 'operatorHost' | 'operatorPort'>): string {
  return urlOf('http', operatorHost, operatorPort, OPERATOR_BASE_PATH);
}

/** The names by which the operators' listener may be called. The host that it listens on may be one. */
export function operatorNamesOf({
  operatorHost,
  operatorNames,
}: Pick<Config, 'operatorHost' | 'operatorNames'>): readonly string[] {
  return [operatorHost.toLowerCase(), ...operatorNames];
}

function urlOf(scheme: 'http' | 'https', host: string, port: number, path: string): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
}
