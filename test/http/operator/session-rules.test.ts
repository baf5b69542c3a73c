/**
 * When a session ends by itself, how many there are, and what is made of the file that they lie in; and what a code that
 * opens the console is good for. By a clock of the test's.
 */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Operator, OperatorToken } from '../../../src/engine/operators.ts';
import type { State } from '../../../src/engine/state.ts';
import { type Caller, ROOT } from '../../../src/http/operator/caller.ts';
import { CODE_MS, ConsoleCodes } from '../../../src/http/operator/sessions/console-codes.ts';
import {
  OperatorSessions,
  SESSION_IDLE_MS,
  SESSION_MS,
} from '../../../src/http/operator/sessions/operator-sessions.ts';
import {
  parseSessions,
  type Session,
  sessionText,
} from '../../../src/http/operator/sessions/session-text.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const START_MS = 1_800_000_000_000;
const A_TOKEN: OperatorToken = { sha256: 'a'.repeat(64), expiresAtMs: null };
const ANOTHER: OperatorToken = { sha256: 'b'.repeat(64), expiresAtMs: null };
const ANNA: Caller = { operatorId: 3, name: 'anna', role: 'support', sha256: A_TOKEN.sha256 };

let nowMs: number;
/** How far the clock was set back. */
let setBackMs: number;
let anna: Operator;
let state: State;
let sessions: OperatorSessions;

function open(kept: { lastId: number; sessions: readonly Session[] }): OperatorSessions {
  return new OperatorSessions({
    kept,
    clock: () => nowMs - setBackMs,
    monotonicMs: () => nowMs,
    keep: async () => {},
    onUnkept: (error) => assert.fail(error as Error),
  });
}

describe('sessions', () => {
  beforeEach(() => {
    nowMs = START_MS;
    setBackMs = 0;
    anna = {
      operatorId: 3,
      profile: { name: 'anna', role: 'support' },
      tokens: [A_TOKEN],
      createdAtMs: START_MS,
      revokedAtMs: null,
    };
    state = { operators: new Map([[3, anna]]) } as unknown as State;
    sessions = open({ lastId: 0, sessions: [] });
  });

  describe('a session', () => {
    const times: [what: string, usedAfterMs: readonly number[], askedAfterMs: number, isIn: boolean][] = [
      ['has ended after an hour without a request', [], SESSION_IDLE_MS, false],
      ['goes on with each request', [0.9 * HOUR_MS, 1.8 * HOUR_MS], 2.7 * HOUR_MS, true],
      ['ends an hour after the last of them', [0.9 * HOUR_MS], 1.9 * HOUR_MS, false],
      ['is there until twelve hours have passed', everyHalfHour(), SESSION_MS - 1, true],
      ['has ended after twelve hours, however busy', everyHalfHour(), SESSION_MS, false],
    ];
    for (const [what, usedAfterMs, askedAfterMs, isIn] of times) {
      test(what, async () => {
        const { token } = await sessions.begin(state, ANNA);
        for (const afterMs of usedAfterMs) {
          nowMs = START_MS + afterMs;
          assert.ok(sessions.callerOf(state, token), `${afterMs}`);
        }
        nowMs = START_MS + askedAfterMs;
        assert.equal(sessions.list(state).length, isIn ? 1 : 0);
        assert.equal(sessions.callerOf(state, token) !== undefined, isIn);
      });
    }

    function everyHalfHour(): number[] {
      return Array.from({ length: 23 }, (_, index) => (index + 1) * 30 * MINUTE_MS);
    }

    test('doesn’t end for want of a request while one is under way, but after twelve hours', async () => {
      const { session, token } = await sessions.begin(state, ANNA);
      nowMs += 2 * HOUR_MS;
      assert.equal(sessions.goesOn(session), true);
      assert.ok(sessions.callerOf(state, token), 'it was a use');
      nowMs = START_MS + SESSION_MS;
      assert.equal(sessions.goesOn(session), false);
    });

    test('isn’t lengthened by what a page asks by itself, and ends that with it', async () => {
      const { token } = await sessions.begin(state, ANNA);
      nowMs += SESSION_IDLE_MS - 1;
      const unattended = sessions.callerOf(state, token, true);
      assert.deepEqual(unattended, { ...ANNA, sessionId: 1, isUnattended: true });
      assert.equal(sessions.goesOn(unattended), true);
      nowMs += 1;
      assert.equal(sessions.goesOn(unattended), false);
      assert.equal(sessions.callerOf(state, token, true), undefined);
      assert.equal(sessions.callerOf(state, token), undefined);
    });

    test('isn’t lengthened by a clock that is set back', async () => {
      const { session, token } = await sessions.begin(state, ANNA);
      setBackMs = 24 * HOUR_MS;
      for (const afterMs of everyHalfHour()) {
        nowMs = START_MS + afterMs;
        assert.ok(sessions.callerOf(state, token), `${afterMs}`);
      }
      nowMs = START_MS + SESSION_MS;
      assert.equal(sessions.goesOn(session), false);
      const unused = await sessions.begin(state, ANNA);
      setBackMs += 24 * HOUR_MS;
      nowMs += SESSION_IDLE_MS;
      assert.equal(sessions.callerOf(state, unused.token), undefined);
      assert.deepEqual(sessions.list(state), []);
      const sleeping = await sessions.begin(state, ANNA);
      // The machine sleeps, and its other clock stands.
      setBackMs -= SESSION_IDLE_MS;
      assert.equal(sessions.callerOf(state, sleeping.token), undefined);
    });

    const changes: [what: string, tokens: readonly OperatorToken[], isIn: boolean][] = [
      ['goes on in the overlap of its token', [ANOTHER, { ...A_TOKEN, expiresAtMs: START_MS + 1 }], true],
      ['ends with the overlap of its token', [ANOTHER, { ...A_TOKEN, expiresAtMs: START_MS }], false],
    ];
    for (const [what, tokens, isIn] of changes) {
      test(what, async () => {
        const { token } = await sessions.begin(state, ANNA);
        anna.tokens = tokens;
        assert.equal(sessions.callerOf(state, token) !== undefined, isIn);
        assert.equal(sessions.list(state).length, isIn ? 1 : 0);
      });
    }

    test('ends no later than a token that expires', async () => {
      anna.tokens = [{ ...A_TOKEN, expiresAtMs: START_MS + HOUR_MS }];
      const { session } = await sessions.begin(state, ANNA);
      assert.equal(session.expiresAtMs, START_MS + HOUR_MS);
    });

    test('is there for nobody when it can’t be kept', async () => {
      const full = new Error('no space left on device');
      const unkept = new OperatorSessions({
        kept: { lastId: 0, sessions: [] },
        clock: () => nowMs,
        monotonicMs: () => nowMs,
        keep: () => Promise.reject(full),
        onUnkept: () => undefined,
      });
      await assert.rejects(unkept.begin(state, ANNA), full);
      assert.deepEqual(unkept.list(state), []);
    });
  });

  describe('of too many', () => {
    test('an operator’s one not used for longest ends, and nobody else’s', async () => {
      const roots = await sessions.begin(state, ROOT);
      const tokens: string[] = [];
      for (let count = 0; count < 16; count += 1) {
        nowMs += 1;
        tokens.push((await sessions.begin(state, ANNA)).token);
      }
      nowMs += 1;
      assert.ok(sessions.callerOf(state, tokens[0] ?? ''), 'used again');
      tokens.push((await sessions.begin(state, ANNA)).token);
      const isIn = tokens.map((token) => sessions.callerOf(state, token) !== undefined);
      assert.deepEqual(isIn, [true, false, ...Array(15).fill(true)]);
      assert.ok(sessions.callerOf(state, roots.token));
    });
  });

  describe('on disk', () => {
    test('what was kept is there again, and an id is never given twice', async () => {
      const { token } = await sessions.begin(state, ANNA);
      const { session: ended } = await sessions.begin(state, ANNA);
      await sessions.end(ended.sessionId);
      const kept = parseSessions(sessionText({ rootMark: 'm', ...sessions.kept }));
      assert.deepEqual(kept, { rootMark: 'm', lastId: 2, sessions: sessions.kept.sessions });
      sessions = open(kept);
      assert.equal(sessions.callerOf(state, token)?.sessionId, 1);
      assert.equal((await sessions.begin(state, ANNA)).session.sessionId, 3);
    });

    const row = {
      sessionId: 1,
      sha256: 'a'.repeat(64),
      operatorId: 0,
      tokenSha256: null,
      createdAtMs: 1,
      expiresAtMs: 2,
      lastUsedAtMs: 1,
    };
    const kept = { rootMark: 'm', lastId: 1, sessions: [row] };
    const damaged: [what: string, text: string][] = [
      ['nothing', ''],
      ['zeros', '\0'.repeat(200)],
      ['no last id', JSON.stringify({ ...kept, lastId: undefined })],
      ['no mark', JSON.stringify({ ...kept, rootMark: 1 })],
      ...(Object.keys(row) as (keyof typeof row)[]).flatMap((field): [string, string][] =>
        [undefined, 'x', -1, 1.5].map((value) => [
          `${field} is ${JSON.stringify(value)}`,
          JSON.stringify({ ...kept, sessions: [{ ...row, [field]: value }] }),
        ]),
      ),
      ['an id that is still to come', JSON.stringify({ ...kept, lastId: 0 })],
      ['far more than there can be', JSON.stringify({ ...kept, sessions: Array(10_000).fill(row) })],
    ];
    test('what is damaged signs nobody in', () => {
      assert.deepEqual(parseSessions(sessionText(kept)), kept);
      for (const [what, text] of damaged) assert.equal(parseSessions(text), undefined, what);
    });
  });

  describe('a code', () => {
    let codes: ConsoleCodes;
    beforeEach(() => {
      nowMs = 0;
      codes = new ConsoleCodes(() => nowMs);
    });

    test('works once, for whom it was given, with his reason, within a minute', () => {
      const code = codes.give(ANNA, 'the night shift');
      assert.match(code, /^poc_[0-9a-f]{48}$/);
      const late = codes.give(ANNA, undefined);
      nowMs += CODE_MS - 1;
      const { caller, reason } = codes.take(code) ?? assert.fail('it does not work');
      assert.deepEqual([caller, reason], [ANNA, 'the night shift']);
      assert.equal(codes.take(code), undefined);
      nowMs += 1;
      assert.equal(codes.take(late), undefined);
    });

    test('is pushed out when its operator gets a ninth, and by nobody else’s', () => {
      const roots = codes.give(ROOT, undefined);
      const given = Array.from({ length: 9 }, () => codes.give(ANNA, undefined));
      const work = given.map((code) => codes.take(code) !== undefined);
      assert.deepEqual(work, [false, ...Array(8).fill(true)]);
      assert.ok(codes.take(roots));
    });
  });
});
