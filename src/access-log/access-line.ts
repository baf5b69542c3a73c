/** A line of the access log; docs/settings.md has its fields. */
import type { EndedRequest } from '../http/transport/transport.ts';
import type { ListenerName } from '../metrics/request-meter.ts';

/** Texts of a client that are longer are cut: it may send 16 KiB. */
const LONGEST_PATH = 1_024;
const LONGEST_METHOD = 32;
const MICROS_PER_MS = 1_000;

/** The answer to a request. */
export interface Ended {
  /** 0 when the client left before it. */
  readonly status: number;
  readonly bytes: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly durationMs: number;
}

export function accessLine(listener: ListenerName, request: EndedRequest, ended: Ended): string {
  const { requestId, method, route, path, accountId, operator, clientAddress } = request;
  const { status, bytes, startedAt, durationMs } = ended;
  const ms = Math.round(durationMs * MICROS_PER_MS) / MICROS_PER_MS;
  // Routes are ours, and need no escapes.
  const form = route === '' ? '' : `,"route":"${route}"`;
  const end = status === 0 ? '"aborted":true' : `"status":${status}`;
  const where = path === route ? '' : `,"path":${JSON.stringify(path.slice(0, LONGEST_PATH))}`;
  const account = accountId === 0 ? '' : `,"accountId":${accountId}`;
  const who = operator === '' ? '' : `,"operator":${JSON.stringify(operator)}`;
  const from = clientAddress === '' ? '' : `,"address":${JSON.stringify(clientAddress)}`;
  const verb = JSON.stringify(method.slice(0, LONGEST_METHOD));
  return `{"time":${Math.round(startedAt)},"requestId":"${requestId}","listener":"${listener}","method":${verb}${form},${end},"durationMs":${ms},"bytes":${bytes}${where}${account}${who}${from}}\n`;
}
