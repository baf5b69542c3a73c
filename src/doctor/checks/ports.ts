/**
 * Whether a node can listen where it is told to. The listeners of a node that has the folder are asked; otherwise both
 * addresses are taken for a moment. No node that starts meanwhile comes as far as its ports in that moment, because the
 * lock comes first and was free.
 */
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import type { Config } from '../../config/config.ts';
import { type Finding, failed, ok, together, warning } from '../finding.ts';
import type { Patient } from '../patient.ts';
import type { RunningNode } from '../running-node.ts';

const CONNECT_MS = 3_000;
const EVERYWHERE: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there: stop it, or choose another port',
  EACCES:
    'ports below 1024 need the right CAP_NET_BIND_SERVICE: choose a higher one, and put a proxy in front',
  EADDRNOTAVAIL: 'no interface of this machine has this address: choose another host',
  ENOTFOUND: 'there is no such host: choose another',
};

export async function ports({ config, running }: Patient): Promise<Finding> {
  const { host, port, operatorHost, operatorPort } = config;
  if (running !== undefined) {
    const isHeard = port === 0 ? undefined : await isListening(host, port);
    return together([judgeNode(running), judgeHeard(config, isHeard)]);
  }
  const [buyers, operators] = await Promise.all([tried(host, port), tried(operatorHost, operatorPort)]);
  return together([
    judgeTried('--port', host, port, buyers),
    judgeTried('--operator-port', operatorHost, operatorPort, operators),
  ]);
}

export function judgeNode({ pid, operatorUrl, isReady }: RunningNode): Finding {
  const who = `the running node (pid ${pid})`;
  if (isReady === true) return ok(`${who} is ready at ${operatorUrl}`);
  if (isReady === false)
    return warning(
      `${who} takes no purchases now: it starts, stops, follows, or has no room; its log says which`,
    );
  return warning(
    `${who} does not answer${operatorUrl === undefined ? '' : ` at ${operatorUrl}`}: wait if it is starting; if it is in another container, call this command there; otherwise look at its log`,
  );
}

/** `isHeard` is undefined when nobody knows the port. */
export function judgeHeard(
  { host, port }: Pick<Config, 'host' | 'port'>,
  isHeard: boolean | undefined,
): Finding {
  if (isHeard !== false) return ok('the buyer API is open');
  return warning(
    `nobody listens for buyers at ${host}:${port}: give this command the flags that the node was started with`,
  );
}

/** `code`: the system's error; undefined when there was none. */
export function judgeTried(flag: string, host: string, port: number, code: string | undefined): Finding {
  if (code === undefined) return ok(`${host}:${port} is free`);
  return failed(`cannot listen on ${host}:${port} (${flag}): ${REASONS[code] ?? code}`);
}

async function tried(host: string, port: number): Promise<string | undefined> {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return undefined;
  } catch (error) {
    return String((error as { code?: unknown }).code);
  } finally {
    server.close();
  }
}

async function isListening(host: string, port: number): Promise<boolean> {
  const socket = createConnection({ host: EVERYWHERE[host] ?? host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_MS) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
