/** Runs a case of the table with a driver, whatever language that is in, and holds what came of it against the row. */
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ScriptedServer, type SeenRequest, type Step } from '../scripted-server.ts';
import type { Call, Case, Sent } from './case.ts';
import { endsATime, stepOf } from './steps.ts';

/** The reply of a driver to one command. */
export interface Reply {
  readonly value?: unknown;
  readonly error?: Readonly<Record<string, unknown>>;
  readonly refused?: string;
  readonly invalid?: true;
  /** The client's waits since the last reply. */
  readonly delaysMs?: readonly number[];
}

export interface Driver {
  run(command: Readonly<Record<string, unknown>>): Promise<Reply>;
}

export const API_KEY = 'pk_live_of_a_test';
const BASE_PATH = '/api/v1/buyer';
const REQUEST = { productId: 7, quantity: 2, expectedPriceUsdt: '7' };
/** A client whose time must end, and one whose time must not, on a machine however busy. */
const TIMES_MS = { short: 2_000, long: 60_000 } as const;
/** Where nobody listens. */
const DEAD = `http://127.0.0.1:1${BASE_PATH}`;

interface Seen {
  readonly node: number;
  readonly request: SeenRequest;
}

/** `folder` is empty; `onTimeOut` is called when a client's time must be over. */
export async function runCase(
  row: Case,
  driver: Driver,
  folder: string,
  onTimeOut: () => void = () => {},
): Promise<void> {
  const store = row.options?.store === true ? join(folder, 'purchases.jsonl') : undefined;
  const place = row.options?.place === true ? join(folder, 'place') : undefined;
  const scripts = row.nodes ?? [row.steps ?? []];
  const seen: Seen[] = [];
  const origins: string[] = [];
  const notStored: string[] = [];
  const servers = scripts.map((script, node) => {
    const steps = (script === 'dead' ? [] : script).map(
      (step): Step =>
        (response, request, timeOut) => {
          seen.push({ node, request });
          const key = String(request.headers['idempotency-key']);
          const mustBeStored = store !== undefined && request.method === 'POST';
          if (mustBeStored && !(existsSync(store) && readFileSync(store, 'utf8').includes(key)))
            notStored.push(key);
          stepOf(step, origins)(response, request, timeOut);
        },
    );
    return new ScriptedServer(steps, onTimeOut);
  });
  const urls = await Promise.all(
    servers.map(async (server, node) => (scripts[node] === 'dead' ? DEAD : server.start())),
  );
  origins.push(...urls.map((url) => new URL(url).origin));
  const isShort = scripts.some((script) => script !== 'dead' && script.some(endsATime));
  const client = {
    do: 'client',
    baseUrls: given(urls, row.addresses),
    apiKey: API_KEY,
    timeoutMs: isShort ? TIMES_MS.short : TIMES_MS.long,
    maxAttempts: row.options?.maxAttempts ?? 4,
    store,
    place,
  };
  try {
    assertReply({ do: 'client' }, await driver.run(client));
    for (const call of row.calls) {
      if (call.do === 'cutStore')
        appendFileSync(store ?? assert.fail('no store'), '{"idempotencyKey":"cut sho');
      else if (call.do === 'client') assertReply(call, await driver.run(client));
      else
        for (const command of commandsOf(call)) assertReply(command.expected, await driver.run(command.sent));
    }
    assert.deepEqual(notStored, [], 'sent before it was stored');
    const asked = scripts.flatMap((script, node) => (script === 'dead' ? [] : script.map(() => node)));
    assert.deepEqual(
      seen.map(({ node }) => node),
      row.asked ?? asked,
    );
    const extra = servers.reduce((sum, { requests }) => sum + requests.length, 0) - seen.length;
    assert.equal(extra, 0, 'requests beyond the script');
    for (const [index, sent] of (row.sent ?? []).entries()) assertSent(seen[index]?.request, sent);
    assertPurchases(
      seen.map(({ request }) => request),
      row.keys ?? 1,
    );
  } finally {
    for (const [node, server] of servers.entries()) if (scripts[node] !== 'dead') await server.stop();
  }
}

function given(urls: readonly string[], addresses: number | string | undefined): string[] {
  if (typeof addresses === 'number') return urls.slice(0, addresses);
  return urls.map((url) => `${url}${addresses ?? ''}`);
}

interface Command {
  readonly sent: Readonly<Record<string, unknown>>;
  readonly expected: Call;
}

/** `buy` is a purchase made and sent; a purchase that can't be made is never sent. */
function commandsOf(call: Call): Command[] {
  if (call.do !== 'buy') return [{ sent: call, expected: call }];
  const { request = REQUEST, idempotencyKey } = call;
  const made = { do: 'purchase', request, idempotencyKey };
  if (call.invalid) return [{ sent: made, expected: call }];
  return [
    { sent: made, expected: { do: 'purchase' } },
    { sent: { do: 'send' }, expected: call },
  ];
}

function assertReply(call: Call, reply: Reply): void {
  const shown = JSON.stringify(reply);
  if (call.invalid) assert.equal(reply.invalid, true, shown);
  else if (call.refused !== undefined) assert.equal(reply.refused, call.refused, shown);
  else if (call.error !== undefined) {
    const error = reply.error ?? assert.fail(`no error: ${shown}`);
    for (const [name, value] of Object.entries(call.error)) {
      assert.deepEqual(plain(error[name] ?? null, name), plain(value, name), `${name}: ${shown}`);
    }
    const isPurchase = call.do === 'buy' || call.do === 'send';
    assert.equal(typeof error.idempotencyKey === 'string', isPurchase, shown);
    assert.doesNotMatch(shown, new RegExp(API_KEY), 'errors end up in logs');
  } else {
    assert.ok(reply.error === undefined && reply.refused === undefined && !reply.invalid, shown);
    if (call.order !== undefined)
      assertHas(reply.value, {
        orderId: call.order,
        status: 'completed',
        delivery: { items: ['a', 'ü "b"'] },
      });
    if (call.of !== undefined) assert.equal(reply.value, call.of, shown);
    if (call.raw !== undefined) assertHas(reply.value, call.raw, (value) => value);
    if (call.value !== undefined) assertHas(reply.value, call.value);
  }
  if (call.delaysMs !== undefined) assert.deepEqual(reply.delaysMs, call.delaysMs, shown);
}

type Reading = (value: unknown, name: string) => unknown;

/** Fields of `expected`, and all elements; other fields may be there. */
function assertHas(value: unknown, expected: unknown, read: Reading = plain, name = ''): void {
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(value), `${name} is ${JSON.stringify(value)}`);
    assert.equal(value.length, expected.length, JSON.stringify(value));
    for (const [index, one] of expected.entries()) assertHas(value[index], one, read, name);
  } else if (typeof expected === 'object' && expected !== null) {
    assert.ok(typeof value === 'object' && value !== null, `${name} is ${JSON.stringify(value)}`);
    for (const [field, one] of Object.entries(expected))
      assertHas((value as Readonly<Record<string, unknown>>)[field], one, read, field);
  } else assert.deepEqual(read(value, name), read(expected, name), name);
}

/** Money in one form: drivers give it as texts, the client for Node as numbers, the table as either. */
function plain(value: unknown, name: string): unknown {
  return name.endsWith('Usdt') && value !== null && value !== undefined ? Number(value) : value;
}

function assertSent(
  request: SeenRequest | undefined,
  { method, path, headers = {}, body, text }: Sent,
): void {
  assert.ok(request, 'fewer requests than that');
  if (method !== undefined) assert.equal(request.method, method);
  if (path !== undefined) assert.equal(decodeURIComponent(request.path), `${BASE_PATH}${path}`);
  for (const [name, value] of Object.entries(headers))
    assert.equal(request.headers[name] ?? null, value, name);
  if (body !== undefined) assertHas(JSON.parse(request.body.toString()), body, (value) => value);
  if (text !== undefined) assert.ok(request.body.toString().includes(text), request.body.toString());
}

/** All requests of a purchase carry one key and the same bytes; whatever is sent has the API key. */
function assertPurchases(requests: readonly SeenRequest[], keys: number): void {
  const bodies = new Map<unknown, string>();
  for (const { method, path, headers, body } of requests) {
    if (path !== `${BASE_PATH}/health`) assert.equal(headers['x-api-key'], API_KEY);
    if (`${method} ${path}` !== `POST ${BASE_PATH}/orders`) continue;
    const key = headers['idempotency-key'];
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(bodies.get(key) ?? body.toString(), body.toString());
    bodies.set(key, body.toString());
  }
  if (bodies.size > 0) assert.equal(bodies.size, keys, `keys: ${[...bodies.keys()]}`);
}
