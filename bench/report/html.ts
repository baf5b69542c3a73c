/**
 * `report.html`: a run on one page, which is one file.
 *
 * Invariant: the page loads nothing and runs nothing, so it can be opened from a disk, sent and printed; every text
 * from outside is escaped; a missing figure is said instead of drawn. Charts are for the eye: every figure is in the
 * tables too.
 */
import { looksOf } from './charts/palette.ts';
import { html, Markup } from './markup.ts';
import type { Results } from './results.ts';
import { about } from './sections/about.ts';
import { conditions } from './sections/conditions.ts';
import { happenings } from './sections/events.ts';
import { byRate, distributions } from './sections/latency.ts';
import type { Section } from './sections/section.ts';
import { allRows } from './sections/table.ts';
import { groups, throughput } from './sections/throughput.ts';
import { timeline } from './sections/windows.ts';
import { pageRules } from './style.ts';

export function reportPage(results: Results): string {
  const lookOf = looksOf(results.systems);
  const { rows } = results;
  const sections = [
    about(results, lookOf),
    conditions(results, lookOf),
    throughput(rows, lookOf),
    distributions(results, lookOf),
    byRate(rows, lookOf),
    groups(rows, lookOf),
    happenings(rows, lookOf),
    timeline(results, lookOf),
    allRows(rows, lookOf),
  ];
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Purser under contention</title>
<style>
${new Markup(pageRules)}
</style>
</head>
<body>
<header>
<h1>Purser under contention</h1>
<p>In this run Purser, a server that sells digital goods from a prepaid wallet, and the same shop on other databases sold the same goods to the same buyers: in turns, on one machine, every purchase on disk before its answer left, unless a system is called “not durable”. A figure is the median of its windows, with the least and the most as a line or in brackets; it is hollow where all windows were disturbed. Floor and ceiling sell nothing and show what the machine can do: the floor writes as many bytes to disk as purchases need, the ceiling none.</p>
<nav aria-label="Sections"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
</header>
<main>
${sections.map(sectionMarkup)}</main>
</body>
</html>
`.text;
}

function sectionMarkup({ id, title, body }: Section): Markup {
  return html`<section>
<h2 id="${id}">${title}</h2>
${body}
</section>
`;
}
