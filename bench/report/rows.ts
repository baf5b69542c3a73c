/**
 * Windows into rows: one for every system, scenario and number of connections, and for every rate of `open-loop`.
 *
 * Invariant: a row is made of undisturbed windows, or of all of its windows where none was undisturbed, and then it is
 * marked. A ratio is made of two undisturbed windows of the same round, never of medians: on a shared machine two
 * minutes differ more than two systems do.
 */

import { median, spread } from '../measure/statistics.ts';
import { longestWaitMs } from '../scenarios/awaited.ts';
import { sceneScenarios } from '../scenarios/scenarios.ts';
import { measureNames } from './measures.ts';
import type { ResultRow, ResultWindow, RowFigures } from './results.ts';

const sceneNames: readonly string[] = sceneScenarios;

/** Scenes happen once, and rates are given. Else everybody asks again at once: then it is the most that a system can do. */
export function isSaturated({ scenario, perSecond }: Pick<ResultWindow, 'scenario' | 'perSecond'>): boolean {
  return perSecond === undefined && !sceneNames.includes(scenario);
}

/** In the order in which they were first run. */
export function rowsOf(windows: readonly ResultWindow[]): ResultRow[] {
  const groups = new Map<string, ResultWindow[]>();
  for (const window of windows) {
    const key = rowKey(window);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [window]);
    else group.push(window);
  }
  const floors = windows.filter((window) => window.system === 'floor' && isSaturated(window));
  return [...groups.values()].map((group) => rowOf(group, floors));
}

/** Equal for a row and the windows that it is made of. */
export function rowKey(row: ResultRow | ResultWindow): string {
  return JSON.stringify([row.system, row.scenario, row.connections, givenRate(row)]);
}

/**
 * The rate, where it makes a row of its own. The rates of `half-load` and `restock` follow from what systems have
 * reached.
 */
export function givenRate({
  scenario,
  perSecond,
}: Pick<ResultWindow, 'scenario' | 'perSecond'>): number | undefined {
  return scenario === 'open-loop' ? perSecond : undefined;
}

function rowOf(group: readonly ResultWindow[], floors: readonly ResultWindow[]): ResultRow {
  const [first] = group;
  if (first === undefined) throw new Error('a row without windows');
  const undisturbed = group.filter((window) => !window.disturbed);
  const used = undisturbed.length > 0 ? undisturbed : group;
  const figures = measureNames.flatMap((name) => {
    const values = used.map((window) => window[name]);
    const isLate = longestWaitMs(first.scenario, name) !== undefined && values.includes(undefined);
    const figure = isLate ? undefined : spread(values);
    return figure === undefined ? [] : [[name, figure]];
  });
  const rates = spread(used.map((window) => window.perSecond));
  const ofFloor = spread(undisturbed.map((window) => ofFloorIn(window, floors)));
  return {
    system: first.system,
    scenario: first.scenario,
    connections: first.connections,
    ...(rates !== undefined && { perSecond: rates.median }),
    windows: used.length,
    disturbed: undisturbed.length === 0,
    // Every window has the measures that a row must have.
    ...(Object.fromEntries(figures) as RowFigures),
    ...(ofFloor !== undefined && { ofFloor }),
  };
}

/** The figure of the floor beside a window: the median where the floor ran twice in a round. */
function ofFloorIn(window: ResultWindow, floors: readonly ResultWindow[]): number | undefined {
  if (window.system === 'floor' || !isSaturated(window)) return undefined;
  const hasScenario = floors.some(({ scenario }) => scenario === window.scenario);
  const beside = floors.filter(
    (floor) =>
      !floor.disturbed &&
      floor.round === window.round &&
      floor.connections === window.connections &&
      (!hasScenario || floor.scenario === window.scenario),
  );
  const floor = median(beside.map(({ answersPerSecond }) => answersPerSecond));
  return floor > 0 ? window.answersPerSecond / floor : undefined;
}
