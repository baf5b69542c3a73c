/** The link to a worker thread, with real threads: ready, answers, errors, death, another start, stop. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { START_AGAIN_MS, ThreadEndedError } from '../../src/threads/worker-link.ts';
import { type Link, openLink } from './linked.ts';
import { OddError } from './odd-error.ts';

function ended(message: RegExp, hasStarted: boolean) {
  return (error: unknown) => {
    assert.ok(error instanceof ThreadEndedError);
    assert.match(error.message, message);
    assert.equal(error.hasStarted, hasStarted);
    return true;
  };
}

describe('the link to a worker thread', { timeout: 60_000 }, () => {
  test('answers calls by their own ids, whichever ends first; the first call starts the thread', async () => {
    const link = openLink();
    const answers = [link.call('halfLater', [200]), link.call('halfLater', [20]), link.call('half', [4])];
    assert.equal(await Promise.race(answers), 2);
    assert.deepEqual(await Promise.all(answers), [100, 10, 2]);
    await link.stop();
  });

  test('does calls in their order, told ones too, and lets the thread stop behind them', async () => {
    const link = openLink();
    await link.start();
    link.tell('note', ['a']);
    const noted = link.call('note', ['b']);
    link.tell('note', ['c']);
    const done = link.call('done', []);
    const stopped = link.stop(70);
    assert.equal(await noted, undefined);
    assert.deepEqual(await done, ['a', 'b', 'c']);
    await stopped;
    await assert.rejects(link.call('done', []), ended(/^the thread of the test has been stopped$/, true));
    link.tell('note', ['nobody hears this']);
    await link.stop();
  });

  test('tells a listed error with its class and fields, at once or later', async () => {
    const link = openLink();
    for (const name of ['half', 'halfLater'] as const) {
      await assert.rejects(link.call(name, [3]), (error) => {
        assert.ok(error instanceof OddError);
        assert.deepEqual([error.number, error.message, error.name], [3, '3 is odd', 'OddError']);
        return true;
      });
    }
    assert.equal(await link.call('half', [2]), 1);
    await link.stop();
  });

  test('hands memory over both ways, and hears what is said unasked before the answer behind it', async () => {
    const heard: string[] = [];
    const link = openLink({
      events: { progress: (steps: number, of: string) => heard.push(`${steps} ${of}`) },
    });
    const bytes = await link.call('bytes', [1_000]);
    assert.equal(bytes[999], 7);
    const length = link.call('length', [bytes], [bytes.buffer as ArrayBuffer]);
    assert.equal(bytes.length, 0);
    assert.equal(await length, 1_000);
    await link.call('steps', [2]);
    assert.deepEqual(heard, ['1 steps', '2 steps']);
    await link.stop();
  });

  const deaths: { what: string; kill: (link: Link) => unknown; said: RegExp; cause: RegExp }[] = [
    {
      what: 'an error that is no answer',
      kill: (link) => link.tell('fail', []),
      said: /^the thread of the test failed$/,
      cause: /nobody expects this/,
    },
    {
      what: 'its own exit',
      kill: (link) => link.tell('exit', []),
      said: /^the thread of the test has ended$/,
      cause: /undefined/,
    },
  ];
  for (const { what, kill, said, cause } of deaths) {
    for (const startsAgain of [false, true]) {
      test(`a death by ${what} rejects all calls, is told once, and ${startsAgain ? 'the next call starts another thread' : 'no call starts another'}`, async () => {
        const deaths: Error[] = [];
        const link = openLink({ startsAgain, onDeath: (error) => deaths.push(error) });
        await link.start();
        const calls = [link.call('never', []), link.call('never', [])];
        kill(link);
        for (const call of calls) await assert.rejects(call, ended(said, true));
        await delay(50);
        assert.equal(deaths.length, 1);
        assert.match(String(deaths[0]?.cause), cause);
        if (startsAgain) assert.equal(await link.call('half', [8]), 4);
        else await assert.rejects(link.call('half', [8]), ended(said, true));
        await link.stop();
        assert.equal(deaths.length, 1);
      });
    }
  }

  test('a thread that can not start is no death: who starts it hears why, and calls go on a second later', async () => {
    const link = openLink({ failedStarts: 1, onDeath: assert.fail });
    await assert.rejects(link.start(), { name: 'RangeError', message: 'start 1 fails' });
    const message = /^the thread of the test can't start: start 1 fails$/;
    await assert.rejects(link.call('half', [2]), ended(message, false));
    await delay(START_AGAIN_MS + 50);
    assert.equal(await link.call('half', [2]), 1);
    await link.stop();
  });

  test('a thread that does not stop in time is broken off, and its calls are rejected', async () => {
    const link = openLink({ stop: 'hangs', onDeath: assert.fail });
    const call = link.call('never', []);
    const rejected = assert.rejects(call, ended(/has been stopped$/, true));
    await link.stop(10, 20);
    await rejected;
  });

  test('breaks off at once what is under way, also a start', async () => {
    const link = openLink({ onDeath: assert.fail });
    const started = assert.rejects(link.start(), ended(/has been stopped$/, true));
    const called = assert.rejects(link.call('never', []), ended(/has been stopped$/, true));
    await link.breakOff();
    await Promise.all([started, called]);
  });
});
