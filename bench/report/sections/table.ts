/** All rows with all of their figures, a table a scenario. A column that has no figure in a scenario is left out. */

import type { Spread } from '../../measure/statistics.ts';
import { lateText } from '../../scenarios/awaited.ts';
import { isReference } from '../../systems/system.ts';
import type { LookOf } from '../charts/palette.ts';
import { html, type Markup } from '../markup.ts';
import { type MeasureName, measureNames, measures, ratio, whole } from '../measures.ts';
import type { ResultRow } from '../results.ts';
import type { Section } from './section.ts';
import { sample } from './swatch.ts';

export function allRows(rows: readonly ResultRow[], lookOf: LookOf): Section {
  const scenarios = [...new Set(rows.map(({ scenario }) => scenario))];
  return {
    id: 'rows',
    title: 'All figures',
    body: [
      html`<p>Median, and in brackets the least and the most of the windows of a row. CPU is in per cent of one core; “other” is what neither the system nor the load generator used, “stolen” what the host took. “Of floor” is answers/s divided by the floor's of the same round. Floor and ceiling sell nothing: what stands for purchases/s is their answers/s.</p>\n`,
      scenarios.map(
        (scenario) =>
          html`<h3>${scenario}</h3><div class="wide">${rowsTable(
            rows.filter((row) => row.scenario === scenario),
            lookOf,
            measureNames,
          )}</div>\n`,
      ),
    ],
  };
}

interface Column {
  readonly title: string;
  readonly cell: (row: ResultRow) => Markup | string | undefined;
}

/** The table of rows, with those of `names` that any of the rows has. */
export function rowsTable(rows: readonly ResultRow[], lookOf: LookOf, names: readonly MeasureName[]): Markup {
  const columns: Column[] = names.map((name) => {
    const { title, format } = measures[name];
    return { title, cell: (row) => figure(row[name], format) ?? lateText(row.scenario, name) };
  });
  if (names === measureNames) {
    // Where each answer is a purchase, one column says both.
    const sold = rows.filter((row) => !isReference(row.system));
    const isAllBought = sold.every((row) => isEqual(row.purchasesPerSecond, row.answersPerSecond));
    const { title, format } = measures.purchasesPerSecond;
    if (isAllBought) columns.splice(0, 2, { title, cell: (row) => figure(row.answersPerSecond, format) });
    columns.splice(isAllBought ? 1 : 2, 0, { title: 'of floor', cell: (row) => figure(row.ofFloor, ratio) });
  }
  const shown = columns.filter(({ cell }) => rows.some((row) => cell(row) !== undefined));
  const hasRates = rows.some(({ perSecond }) => perSecond !== undefined);
  return html`<table class="rows"><thead><tr><th scope="col">system</th><th scope="col" class="number">conn.</th>${
    hasRates ? html`<th scope="col" class="number">rate/s</th>` : ''
  }<th scope="col" class="number">windows</th>${shown.map(
    ({ title }) => html`<th scope="col" class="number">${title}</th>`,
  )}</tr></thead>
<tbody>${rows.map((row, index) => {
    const isOtherLoad = row.connections !== rows[index - 1]?.connections;
    const classes = [isOtherLoad ? 'other-load' : '', row.disturbed ? 'disturbed' : ''].join(' ').trim();
    const look = lookOf(row.system);
    return html`<tr class="${classes}"><th scope="row">${sample(look)} ${row.system}${
      look.durable ? '' : html` <small>not durable</small>`
    }</th><td class="number">${whole(row.connections)}</td>${
      hasRates ? html`<td class="number">${row.perSecond === undefined ? '' : whole(row.perSecond)}</td>` : ''
    }<td class="number">${row.windows}${row.disturbed ? html` <small>disturbed</small>` : ''}</td>${shown.map(
      ({ cell }) => html`<td class="number">${cell(row)}</td>`,
    )}</tr>\n`;
  })}</tbody></table>`;
}

/** The one figure, where there is no more than one. */
function figure(value: Spread | undefined, format: (value: number) => string): Markup | undefined {
  if (value === undefined) return undefined;
  const [least, most] = [format(value.min), format(value.max)];
  return html`${format(value.median)}${least === most ? '' : html` <small>(${least}–${most})</small>`}`;
}

function isEqual(one: Spread, other: Spread): boolean {
  return one.median === other.median && one.min === other.min && one.max === other.max;
}
