import assert from 'node:assert/strict';
import type { OperatorClient, OperatorReply } from '../support/operator-client.ts';

/** The operator API has the buyers' envelope and error body (DESIGN.md §7). */
export function assertOperatorEnvelope(reply: OperatorReply): void {
  const context = `${reply.status} ${reply.text.slice(0, 300)}`;
  assert.match(String(reply.headers.get('content-type')), /^application\/json/, context);
  assert.equal(reply.headers.get('cache-control'), 'no-store', context);
  assert.equal(typeof reply.body.requestId, 'string', context);
  assert.equal(reply.headers.get('x-request-id'), reply.body.requestId, context);
  assert.equal(reply.body.success, reply.status < 400, context);
  if (reply.status >= 400) {
    assert.match(String(reply.body.error), /^[A-Z_]+$/, context);
    assert.equal(typeof reply.body.message, 'string', context);
  }
}

/** A success with this status. */
export function assertDone(reply: OperatorReply, status: number): void {
  assert.equal(reply.status, status, reply.text);
  assertOperatorEnvelope(reply);
}

/** A refusal with this status and stable code. */
export function assertRefused(reply: OperatorReply, status: number, code: string): void {
  assert.deepEqual([reply.status, reply.body.error], [status, code], reply.text);
  assertOperatorEnvelope(reply);
}

/** The ids in a listing, over all its pages. */
export async function listAll(operator: OperatorClient, rows: string, id: string): Promise<unknown[]> {
  const ids: unknown[] = [];
  for (let query = ''; ; ) {
    const reply = await operator.json('GET', `/${rows}${query}`);
    assertDone(reply, 200);
    const body = JSON.parse(reply.text) as Record<string, unknown>;
    ids.push(...(body[rows] as Record<string, unknown>[]).map((row) => row[id]));
    if (typeof body.nextCursor !== 'string') return ids;
    query = `?cursor=${encodeURIComponent(body.nextCursor)}`;
  }
}
