/** Where the figures were made, and how each system was set up: the first thing that a careful reader asks. */
import type { Conditions } from '../../measure/conditions.ts';
import type { LookOf } from '../charts/palette.ts';
import { html, type Markup } from '../markup.ts';
import { whole } from '../measures.ts';
import type { Results, SystemResult } from '../results.ts';
import type { Section } from './section.ts';
import { referencesLast, sample } from './swatch.ts';

export function conditions(results: Results, lookOf: LookOf): Section {
  const { windows, missing } = results;
  const disturbed = windows.filter((window) => window.disturbed).length;
  return {
    id: 'conditions',
    title: 'Conditions',
    body: html`<dl class="facts">${factsOf(results.conditions).map(
      ([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`,
    )}</dl>
<p>${disturbedSentence(disturbed, windows.length)}</p>
<div class="wide"><table class="systems">
<caption>The systems, as they were set up. “Durable” means that every acknowledged purchase survives a power cut.</caption>
<thead><tr><th scope="col">system</th><th scope="col">version</th><th scope="col">durable</th><th scope="col" class="number">HTTP processes</th><th scope="col">configuration</th></tr></thead>
<tbody>${referencesLast(results.systems).map((system) => systemRow(system, lookOf))}${missing.map(
      ({ name, reason }) =>
        html`<tr class="missing"><th scope="row">${name}</th><td colspan="4">missing: ${reason}</td></tr>\n`,
    )}</tbody></table></div>`,
  };
}

function factsOf(given: Conditions): (readonly [string, string])[] {
  return [
    ['processor', `${given.processor}, ${given.cores} cores`],
    ['memory', `${given.memoryGib} GiB`],
    ['disk', `${given.filesystem}; 4 KiB written and synced in ${whole(given.syncMicros)} µs (median)`],
    ['kernel', given.kernel],
    [
      'software',
      ['node', given.node, ...Object.values(given.libraries).map((text) => `· ${text}`)].join(' '),
    ],
    ['commit', given.commit],
    ['load before the run', `${given.loadAverage.toFixed(2)} (average of a minute)`],
  ];
}

function disturbedSentence(disturbed: number, all: number): string {
  if (disturbed === 0)
    return `None of the ${whole(all)} windows was disturbed by other programs or by the host.`;
  return `${whole(disturbed)} of ${whole(all)} windows were disturbed by other programs or by the host. They are part of a figure only where all windows of a row were disturbed; such rows are marked, and have no ratio.`;
}

function systemRow(
  { name, version, durable, processes, configuration }: SystemResult,
  lookOf: LookOf,
): Markup {
  return html`<tr><th scope="row">${sample(lookOf(name))} ${name}</th><td>${version}</td><td>${
    durable ? 'durable' : html`<strong>not durable</strong>`
  }</td><td class="number">${processes}</td><td><ul class="settings">${Object.entries(configuration).map(
    ([setting, value]) => html`<li><code>${setting}</code> ${value}</li>`,
  )}</ul></td></tr>\n`;
}
