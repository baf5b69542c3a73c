/** `purser restore receipts`: the file goes up as it is, and an invalid receipt is exit 1, with all that was done on standard output. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { operatorForTests, temporaryFolder } from './fake-operator.ts';

const COUNTS = { receipts: 3, recovered: 3, repeated: 0, waiting: 1, pendingCount: 0, invalidCount: 0 };
const TAKEN = { success: true, ...COUNTS, pending: [], invalid: [], requestId: 'req_1' };
const WITH_INVALID = {
  ...TAKEN,
  pendingCount: 1,
  pending: [{ line: 1, orderId: 4714, reason: 'its file is not in the data folder' }],
  invalidCount: 1,
  invalid: [{ line: 2, reason: 'its signature is wrong: all of it is told, however long the reason is' }],
};

describe('restore receipts', () => {
  const { operator, call } = operatorForTests({ status: 200, body: TAKEN });
  const receipts = (args: readonly string[], stdin = 'a.b.c\n') =>
    call(['restore', 'receipts', ...args], { stdin });

  it('sends the file, and says what became of it', async (context) => {
    const file = join(temporaryFolder(context), 'receipts.txt');
    writeFileSync(file, 'a.b.c\nd.e.f\ng.h.i\n');
    const outcome = await receipts([file, '--reason', 'the disk was lost']);
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    const { method, path, headers, body } = operator.last;
    assert.equal(`${method} ${path}`, 'POST /operator/v1/restore/receipts?reason=the+disk+was+lost');
    assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(body, 'a.b.c\nd.e.f\ng.h.i\n');
    assert.match(outcome.stdout, /^receipts: +3\nrecovered: +3\n/);
  });

  it('lists what is pending and what is invalid, and ends with 1', async () => {
    operator.answer = { status: 200, body: WITH_INVALID };
    const json = await receipts(['-', '--json']);
    assert.deepEqual([json.exitCode, JSON.parse(json.stdout)], [1, WITH_INVALID]);
    const { exitCode, stdout, stderr } = await receipts(['-']);
    assert.equal(exitCode, 1);
    assert.match(stdout, /pending: to be delivered by hand:\n.*\n1 +4714 +its file is not/);
    assert.match(stdout, /invalid:\n.*\n2 +its signature is wrong: .* however long the reason is\n$/);
    assert.match(stderr, /^error: 1 of the receipts are invalid and changed nothing/);
  });

  it('says what a receipts file is, of one that has none', async () => {
    operator.answer = { status: 200, body: { ...TAKEN, receipts: 0, recovered: 0, waiting: 0 } };
    const { exitCode, stderr } = await receipts(['-'], '\n');
    assert.equal(exitCode, 1);
    assert.match(stderr, /no receipt in it: a receipts file has/);
  });
});
