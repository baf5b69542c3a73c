/** The description of the page, and whether the systems were right at all. */
import type { LookOf } from '../charts/palette.ts';
import { html, type Markup } from '../markup.ts';
import { whole } from '../measures.ts';
import type { Results, SystemResult } from '../results.ts';
import type { Section } from './section.ts';
import { referencesLast, sample } from './swatch.ts';

export function about(results: Results, lookOf: LookOf): Section {
  return {
    id: 'verdict',
    title: 'Verdict of the check',
    body: html`<div class="wide"><table class="verdicts">
<caption>Every answer of every window was read afterwards, by code that shares nothing with the systems: no item sold twice, wallets exact to the micro-USDT, one answer to one key, acknowledged orders still there.</caption>
<thead><tr><th scope="col">system</th><th scope="col">check</th><th scope="col" class="number">answers read</th><th scope="col" class="number">errors</th></tr></thead>
<tbody>${referencesLast(results.systems).map((system) => verdict(system, lookOf))}${results.missing.map(
      ({ name, reason }) =>
        html`<tr class="missing"><th scope="row">${name}</th><td colspan="3">not measured: ${reason}</td></tr>\n`,
    )}</tbody></table></div>`,
  };
}

function verdict({ name, audit }: SystemResult, lookOf: LookOf): Markup {
  const { passed, violations, answers, found } = audit;
  const isUnchecked = passed && answers === 0;
  const text = isUnchecked ? 'nothing to check: it sells nothing' : passed ? 'passed' : 'FAILED';
  return html`<tr><th scope="row">${sample(lookOf(name))} ${name}</th><td class="${passed ? 'passed' : 'failed'}">${text}${
    found.length === 0 ? '' : html`<ul>${found.map((sentence) => html`<li>${sentence}</li>`)}</ul>`
  }</td><td class="number">${isUnchecked ? '–' : whole(answers)}</td><td class="number">${isUnchecked ? '–' : whole(violations)}</td></tr>\n`;
}
