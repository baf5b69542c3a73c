/**
 * Anything that operators, buyers and suppliers can do, with crashes and full disks at any moment: money is
 * conserved, no hold leaks, no item is in two places, no order goes a way that the naive shop's doesn't, and what was
 * answered stays true.
 *
 * A failure prints seed, path and replay path: PURSER_TEST_SEED, PURSER_TEST_PATH and PURSER_TEST_REPLAY repeat what was
 * found.
 */
import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { after, before, mock, test } from 'node:test';
import fc from 'fast-check';
import { SecretCipher } from '../../src/persistence/keys/secret-cipher.ts';
import { randomDataKeys } from '../support/data-keys.ts';
import { randomFromEnvironment, roundsOr } from '../support/random.ts';
import { Stage, steps } from './operations.ts';
import { Simulation } from './simulation.ts';

const { PURSER_TEST_PATH: path, PURSER_TEST_REPLAY: replayPath } = process.env;
const MAX_STEPS = 120;

/** The one test of a file. `usual`: how many runs, unless PURSER_TEST_ROUNDS says another number. */
export function testCrashes(usual: number): void {
  const numRuns = roundsOr(usual);

  before(() => {
    mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
    // For those who import them by name.
    syncBuiltinESMExports();
  });

  after(() => {
    mock.timers.reset();
    syncBuiltinESMExports();
  });

  test('nothing is lost, doubled or taken back, whatever happens when', async (t) => {
    const { seed } = randomFromEnvironment();
    t.diagnostic(`PURSER_TEST_SEED=${seed}, ${numRuns} runs`);
    const secrets = new SecretCipher(randomDataKeys(), 'supplier secret');
    const seen = {
      runs: 0,
      steps: 0,
      orders: 0,
      otherPriced: 0,
      limited: 0,
      supplierPurchases: 0,
      passedOn: 0,
      items: 0,
    };
    const commands = fc.commands([steps], {
      maxCommands: MAX_STEPS,
      size: 'max',
      ...(replayPath === undefined ? {} : { replayPath }),
    });
    const property = fc.asyncProperty(commands, async (sequence) => {
      const simulation = await Simulation.start(secrets);
      try {
        const stage = new Stage(simulation);
        await fc.asyncModelRun(() => ({ model: stage, real: stage }), sequence);
        await simulation.finish();
        seen.runs += 1;
        seen.steps += [...sequence].length;
        seen.orders += simulation.shop.orders.length;
        seen.otherPriced += simulation.inspection.otherPriced();
        seen.limited += simulation.judge.limited;
        seen.supplierPurchases += simulation.supplier.purchases.length;
        seen.passedOn += simulation.passedOn;
        seen.items += simulation.inspection.places().length;
      } finally {
        simulation.stop();
      }
    });
    await fc.assert(property, {
      seed,
      numRuns,
      includeErrorInReport: true,
      ...(path === undefined ? {} : { path }),
    });
    t.diagnostic(JSON.stringify(seen));
    if (path !== undefined) return;
    // Far below what is usual: a few runs by chance have little of each.
    assert.ok(seen.orders > numRuns && seen.supplierPurchases > numRuns / 4, 'hardly anything was bought');
    assert.ok(seen.passedOn > numRuns / 40, 'hardly any source after another');
    assert.ok(seen.otherPriced > numRuns / 2 && seen.limited > numRuns / 40, 'hardly any terms');
  });
}
