/** What a code that opens the console is good for; by a clock of the test's. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { type Caller, ROOT } from '../../../src/http/operator/caller.ts';
import { CODE_MS, ConsoleCodes } from '../../../src/http/operator/sessions/console-codes.ts';

const ANNA: Caller = { operatorId: 3, name: 'anna', role: 'support', sha256: 'a'.repeat(64) };

describe('a code', () => {
  let codes: ConsoleCodes;
  let nowMs: number;
  beforeEach(() => {
    nowMs = 0;
    codes = new ConsoleCodes(() => nowMs);
  });

  test('works once, for whom it was given, with his reason', () => {
    const code = codes.give(ANNA, 'the night shift');
    assert.match(code, /^poc_[0-9a-f]{48}$/);
    const { caller, reason } = codes.take(code) ?? assert.fail('it does not work');
    assert.deepEqual([caller, reason], [ANNA, 'the night shift']);
    assert.equal(codes.take(code), undefined);
  });

  test('works within a minute, and not when it is over', () => {
    const [early, late] = [codes.give(ANNA, undefined), codes.give(ANNA, undefined)];
    nowMs += CODE_MS - 1;
    assert.ok(codes.take(early));
    nowMs += 1;
    assert.equal(codes.take(late), undefined);
  });

  test('is pushed out when its operator gets a ninth, and by nobody else’s', () => {
    const roots = codes.give(ROOT, undefined);
    const given = Array.from({ length: 9 }, () => codes.give(ANNA, undefined));
    assert.deepEqual(
      given.map((code) => codes.take(code) !== undefined),
      [false, ...Array(8).fill(true)],
    );
    assert.ok(codes.take(roots));
  });
});
