/** The watcher of deposits: transfers that nobody claimed, and a chain that nobody watches. */
import { test } from 'node:test';
import { DepositWatch, type DepositWatchOptions } from '../../src/alerts/deposit-watch.ts';
import { type Step, told, Watched } from './watched.ts';

const SILENCE_MS = 60_000;

test('unclaimed transfers are told until there are none, and silence until somebody is heard of', async () => {
  const watched = new Watched();
  let references: readonly string[] = [];
  let heardMs: number | undefined;
  const transfers = {
    get size() {
      return references.length;
    },
    values: () => references.map((reference) => ({ reference })),
  };
  const watch = new DepositWatch({
    standing: watched.standing,
    engine: { state: { transfers } },
    monotonicMs: () => watched.nowMs,
    heardMs: () => heardMs,
    silenceMs: SILENCE_MS,
  } as unknown as DepositWatchOptions);
  const unclaimed = (state: 'firing' | 'resolved') =>
    told('DEPOSIT_UNCLAIMED')(state, {
      transfers: references.length,
      oldestReference: references[0] ?? null,
    });
  const silent = (state: 'firing' | 'resolved', silentMs: number) =>
    told('DEPOSITS_SILENT')(state, { silentMs });
  const after = (ms: number, happens: () => void) => () => {
    watched.nowMs += ms;
    happens();
  };
  const hear = () => {
    heardMs = watched.nowMs;
  };
  const steps: [name: string, happens: () => void, lines: () => Step[2]][] = [
    ['no addresses, so nobody is missed', after(SILENCE_MS * 2, () => {}), () => []],
    ['the first word', after(1, hear), () => []],
    ['a transfer', after(1, () => (references = ['a', 'b'])), () => unclaimed('firing')],
    ['one is assigned', after(1, () => (references = ['b'])), () => []],
    ['so is the other', after(1, () => (references = [])), () => unclaimed('resolved')],
    ['still within the time', after(SILENCE_MS - 3, () => {}), () => []],
    ['too long', after(2, () => {}), () => silent('firing', SILENCE_MS + 2)],
    ['heard of again', after(5, hear), () => silent('resolved', 0)],
  ];
  for (const [name, happens, lines] of steps) {
    happens();
    await watched.follow(() => watch.look(), [[name, () => {}, lines()]]);
  }
});
