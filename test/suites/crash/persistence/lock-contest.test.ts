/**
 * The contest for a folder: every order of the contenders' steps, with a death before each of them. Never two have it,
 * and a contender that is left alone by the death of the others gets it: that is asserted by the model, in every state.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contend, HELD, type LockNames, UNBORN } from '../../../../src/persistence/folder/lock-contest.ts';
import { Random, randomFromEnvironment, roundsOr } from '../../../support/random.ts';
import { exploreContest, walkContest } from './lock-model.ts';

const NAMES = ['a', 'b', 'c', 'd'];
/** Names left by processes that die as the holder, while they contend, and before they listen. */
const LEFT_BEHIND = ['x1', `x1${HELD}`, 'x2', `x3${UNBORN}`];
const WAYS = roundsOr(1_000);

describe('contenders for a folder', () => {
  it('two, of which one tries twice or is started anew, whichever names come first', async () => {
    for (const names of ['bc a', 'ac b', 'ca b', 'ab c'])
      await exploreContest({ contend, names: names.split(' ').map((of) => [...of]) });
  });

  // Which of the two is which makes no difference: the other half of the orders has them exchanged.
  for (const order of [
    'ab cd',
    'ab dc',
    'ac bd',
    'ac db',
    'ad bc',
    'ad cb',
    'ba cd',
    'ba dc',
    'bc da',
    'bd ca',
    'ca db',
    'cb da',
  ])
    it(`two that both may try twice, as ${order}`, () =>
      exploreContest({ contend, names: order.split(' ').map((names) => [...names]) }).then(() => undefined));

  it('two in a folder with names of dead ones', async () => {
    await exploreContest({ contend, names: [['a'], ['b']], leftBehind: LEFT_BEHIND });
  });

  it('three that try twice, at random', async () => {
    const random = randomFromEnvironment();
    const names = random.sample([...NAMES, 'e', 'f'], 6);
    const tries = [names.slice(0, 2), names.slice(2, 4), names.slice(4)];
    const told = `PURSER_TEST_SEED=${random.seed}`;
    await assert.doesNotReject(
      walkContest({ contend, names: tries, leftBehind: LEFT_BEHIND }, WAYS, random),
      told,
    );
  });
});

it('the model refutes contenders that look first and show their names then', async () => {
  const hasty = (names: LockNames) => {
    let seen: readonly string[] = [];
    const listen = async (name: string) => {
      seen = await names.list();
      await names.listen(name);
    };
    return contend({ ...names, listen, list: async () => seen });
  };
  const contenders = { contend: hasty, names: [['a'], ['b']] };
  await assert.rejects(walkContest(contenders, 5_000, new Random(1)), /two have it/);
});
