/**
 * Whether buyers' keys travel encrypted: by the node itself, or by what stands in front of it, as far as this machine can
 * see.
 */
import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import type { Config } from '../../config/config.ts';
import { readTlsIdentity } from '../../http/transport/tls-identity.ts';
import type { CheckedMachine } from '../checked-machine.ts';
import { type Finding, failed, ok, together, warning } from '../finding.ts';

const CONNECT_MS = 5_000;
const DAY_MS = 24 * 60 * 60_000;
const RENEW_DAYS = 14;
const LOOPBACK = /^(127\.|::1$|localhost$)/;

export async function tls({ config }: CheckedMachine): Promise<Finding> {
  const { url } = config;
  const front = url === undefined ? [] : [await judgeUrl(url)];
  const own = judgeOwn(config, Date.now());
  return together([own ?? judgeListener(config), ...front, judgeOperators(config)]);
}

/** The certificate that the node shows itself; undefined when it has none. */
export function judgeOwn(
  { tlsCert, tlsKey }: Pick<Config, 'tlsCert' | 'tlsKey'>,
  nowMs: number,
): Finding | undefined {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  try {
    return judgeCertificate(tlsCert, readTlsIdentity(tlsCert, tlsKey).expiresAt.getTime(), nowMs);
  } catch (error) {
    return failed(`${(error as Error).message}: give the node a pair of --tls-cert and --tls-key that fits`);
  }
}

/** The finding on the buyers' listener when it speaks plain HTTP. */
export function judgeListener({
  host,
  trustProxy,
  url,
}: Pick<Config, 'host' | 'trustProxy' | 'url'>): Finding {
  const isHere = LOOPBACK.test(host);
  if (!isHere && trustProxy.length === 0)
    return warning(
      `buyers reach ${host} without TLS, and their keys can be read on the way: put a proxy with TLS in front, and name it with --trust-proxy, or give the node --tls-cert and --tls-key`,
    );
  const unseen = url === undefined ? '; that it has TLS is tried with --url https://…' : '';
  if (!isHere) return ok(`buyers come by the proxy ${trustProxy.join(', ')}${unseen}`);
  if (trustProxy.length > 0) return ok(`only a proxy of this machine reaches ${host}${unseen}`);
  return warning(
    `only this machine reaches ${host}: put a proxy with TLS in front for others, and name it with --trust-proxy, or all buyers have one address`,
  );
}

export function judgeOperators({ operatorHost }: Pick<Config, 'operatorHost'>): Finding {
  if (LOOPBACK.test(operatorHost)) return ok('the operator API is on this machine alone');
  return warning(
    `the operator API listens on ${operatorHost} without TLS: keep that network private, or listen on 127.0.0.1 behind a proxy with TLS`,
  );
}

async function judgeUrl(url: string): Promise<Finding> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'https:') return warning(`${url} has no TLS: put a proxy with TLS in front`);
  const host = hostname.replace(/^\[|\]$/g, '');
  let socket: TLSSocket | undefined;
  try {
    socket = connect({ host, port: Number(port || 443), servername: host });
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(CONNECT_MS) });
    return judgeCertificate(url, Date.parse(socket.getPeerCertificate().valid_to), Date.now());
  } catch (error) {
    return judgeRefused(url, error as NodeJS.ErrnoException);
  } finally {
    socket?.destroy();
  }
}

export function judgeRefused(url: string, { name, code, message }: NodeJS.ErrnoException): Finding {
  if (name === 'AbortError' || name === 'TimeoutError')
    return warning(`${url} does not answer from here: look at the proxy and the firewall`);
  return failed(
    `TLS at ${url} fails (${code ?? message}): buyers' programs refuse it; look at the proxy and its certificate`,
  );
}

export function judgeCertificate(of: string, endsMs: number, nowMs: number): Finding {
  const days = Math.floor((endsMs - nowMs) / DAY_MS);
  const found = `the certificate of ${of} ends in ${days} days`;
  if (endsMs < nowMs) return failed(`the certificate of ${of} has ended: renew it`);
  return days < RENEW_DAYS ? warning(`${found}: renew it`) : ok(found);
}
