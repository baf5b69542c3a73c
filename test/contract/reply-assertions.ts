import assert from 'node:assert/strict';
import type { BuyerReply } from '../support/buyer-client.ts';

/** Asserts the form of every JSON answer (SPEC.md §1, conventions for all responses). */
export function assertEnvelope(reply: BuyerReply): void {
  const context = `${reply.status} ${reply.text.slice(0, 300)}`;
  assert.match(String(reply.headers['content-type']), /^application\/json/, context);
  assert.equal(reply.headers['cache-control'], 'no-store', context);
  assert.equal(typeof JSON.parse(reply.text), 'object', context);
  assert.equal(typeof reply.body.requestId, 'string', context);
  assert.notEqual(reply.body.requestId, '', context);
  assert.equal(reply.headers['x-request-id'], reply.body.requestId, context);
  assert.equal(reply.body.success, reply.status < 400, context);
  if (reply.status < 400) {
    assert.equal('error' in reply.body, false, context);
  } else {
    assert.match(String(reply.body.error), /^[A-Z_]+$/, context);
    assert.equal(typeof reply.body.message, 'string', context);
    assert.notEqual(reply.body.message, '', context);
  }
}

/** A success with this status. */
export function assertSuccess(reply: BuyerReply, status: number): void {
  assert.equal(reply.status, status, reply.text);
  assertEnvelope(reply);
}

/** A refusal with this status and stable code (SPEC.md §7). */
export function assertRefusal(reply: BuyerReply, status: number, code: string): void {
  assert.deepEqual([reply.status, reply.body.error], [status, code], reply.text);
  assertEnvelope(reply);
}

/** The answer's bytes with the one value that must differ from answer to answer taken out. */
export function withoutRequestId(reply: BuyerReply): string {
  return reply.text.replace(JSON.stringify(reply.body.requestId), '"…"');
}

/** A replay: the same status and bytes, apart from the request id, and marked as one (SPEC.md §4). */
export function assertReplay(replay: BuyerReply, original: BuyerReply): void {
  assertEnvelope(replay);
  assert.deepEqual([replay.status, withoutRequestId(replay)], [original.status, withoutRequestId(original)]);
  assert.equal(replay.headers['idempotent-replayed'], 'true');
  assert.notEqual(replay.body.requestId, original.body.requestId);
}
