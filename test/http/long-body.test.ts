/** Long bodies, which are read in slices: their senders may be gone before the end. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import type { Engine } from '../../src/engine/loop/engine.ts';
import { type JsonBody, MAX_BODY_BYTES, type ParsedBody } from '../../src/http/json-body.ts';
import { ClientAddresses } from '../../src/http/limits/client-address.ts';
import { allEnded, RequestContext } from '../../src/http/request-context.ts';
import { supplierCallbackRoute } from '../../src/http/supplier-callback.ts';
import type { Exchange } from '../../src/http/transport/transport.ts';
import type { ReportResult } from '../../src/suppliers/supplier-report.ts';

/** A promise, and what ends it. */
function pending<Result>() {
  let end: (result: Result) => void = () => assert.fail('not begun');
  const promise = new Promise<Result>((resolve) => {
    end = resolve;
  });
  return { promise, end };
}

/** A request whose body has come, and whose sender has gone. */
function requestOf(underWay: Set<Promise<void>>): RequestContext {
  const exchange = {
    header: (name: string) => (name === 'content-type' ? 'application/json' : undefined),
    remoteAddress: () => '192.0.2.1',
    readBody: (_: number, done: (body: Uint8Array) => void) => done(Buffer.alloc(MAX_BODY_BYTES + 1)),
    reply: () => {},
    finished: true,
  } as unknown as Exchange;
  const onFault = (error: unknown) => assert.fail(String(error));
  return new RequestContext(exchange, 'req_1', 1, {
    engine: undefined as unknown as Engine,
    onFault,
    onFailed: () => {},
    underWay,
  });
}

test('the end of the node waits for a long body, and for what it leads to', async () => {
  const underWay = new Set<Promise<void>>();
  const context = requestOf(underWay);
  const parsing = pending<ParsedBody<string>>();
  const task = pending<void>();
  const steps: string[] = [];
  const body = { maxBytes: 1, parseInSlices: () => parsing.promise } as unknown as JsonBody<string>;
  context.readJson(body, () => {
    steps.push('taken');
    context.keep(task.promise);
  });
  const ended = allEnded(underWay).then(() => steps.push('ended'));
  await tick();
  parsing.end({ body: 'long' });
  await tick();
  steps.push('read');
  task.end();
  await ended;
  assert.deepEqual(steps, ['taken', 'read', 'ended']);
});

test('the end of the node waits for a supplier’s report', async () => {
  const underWay = new Set<Promise<void>>();
  const hearing = pending<ReportResult>();
  const route = supplierCallbackRoute({
    reports: { mayBeSigned: () => true, hear: () => hearing.promise },
    clientAddresses: new ClientAddresses([]),
  });
  route.handle(requestOf(underWay));
  assert.equal(underWay.size, 1);
  hearing.end('heard');
  await allEnded(underWay);
  assert.equal(underWay.size, 0);
});
