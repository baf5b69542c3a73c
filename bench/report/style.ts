/** The page's looks, on a screen and on paper. Nothing is loaded: fonts are the reader's own. */
import { themeRules } from './charts/palette.ts';

export const chartRules = `.chart { display: block; background: none; color: var(--ink); }
.chart text { white-space: pre; font-variant-numeric: tabular-nums; }`;

export const pageRules = `${themeRules}
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main, header { max-width: 1220px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 40px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 12px; }
h2 { font-size: 22px; margin: 56px 0 12px; padding-top: 12px; border-top: 1px solid var(--line); }
h3 { font-size: 17px; margin: 28px 0 6px; }
p { max-width: 46em; margin: 8px 0 16px; }
nav ul { display: flex; flex-wrap: wrap; gap: 4px 20px; padding: 0; margin: 20px 0 0; list-style: none; }
a { color: inherit; text-underline-offset: 3px; }
.none { color: var(--faint); }
small, caption, .note { color: var(--faint); font-size: 13px; }
code { font: 13px ui-monospace, monospace; }

table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
caption { caption-side: top; text-align: left; padding-bottom: 8px; max-width: 60em; }
th, td { text-align: left; vertical-align: top; padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--faint); font-weight: 500; vertical-align: bottom; }
tbody th { font-weight: 600; white-space: nowrap; }
.number { text-align: right; white-space: nowrap; }
.rows { font-size: 13px; }
.rows th, .rows td { padding-right: 8px; }
.rows small { font-weight: 400; font-size: 12px; }
.rows .other-load th, .rows .other-load td { border-top: 2px solid var(--line); }
.rows thead .number { white-space: normal; }
.rows td small { display: block; line-height: 1.2; }
.disturbed td, .disturbed th { background: var(--shade); }
.sample { vertical-align: middle; margin-right: 4px; }
.wide { overflow-x: auto; }
.figures + .wide { margin-top: 16px; }
.failed { color: var(--alarm); font-weight: 600; }
.failed ul, .settings { margin: 0; padding: 0; list-style: none; font-weight: 400; }
.missing td, .missing th { color: var(--faint); font-weight: 400; }
.missing th { padding-left: 36px; }

.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(320px, 1fr)); gap: 10px 32px; margin: 8px 0 20px; }
.facts dt { color: var(--faint); font-size: 13px; }
.facts dd { margin: 0; }

.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 430px), 1fr)); gap: 28px 40px; align-items: start; }
figure { margin: 0; break-inside: avoid; }
figcaption { font-size: 14px; margin-bottom: 4px; color: var(--faint); }
figcaption strong { color: var(--ink); }
figure svg { width: 100%; height: auto; }
${chartRules}

@media screen and (max-width: 700px) {
  main, header { padding-left: 16px; padding-right: 16px; }
  .verdicts th, .verdicts thead .number { white-space: normal; }
  .systems, .systems tbody, .systems caption { display: block; }
  .systems thead { display: none; }
  .systems tr { display: flex; flex-wrap: wrap; gap: 0 12px; padding: 6px 0; border-bottom: 1px solid var(--line); }
  .systems th, .systems td { border: 0; padding: 2px 0; }
  .systems .number::after { content: ' HTTP process(es)'; }
  .systems td:last-child { flex-basis: 100%; }
}

@media print {
  @page { size: A4; margin: 14mm; }
  body { font-size: 10pt; }
  main, header { max-width: none; padding: 0; }
  header { padding-top: 0; }
  nav { display: none; }
  h2 { margin-top: 28px; }
  h2, h3, p { break-after: avoid; }
  tr, figure, dl div { break-inside: avoid; }
  thead { display: table-header-group; }
  .figures { grid-template-columns: 1fr 1fr; gap: 16px 20px; }
  table { font-size: 7.5pt; }
  caption, figcaption, code { font-size: 7.5pt; }
  .rows { font-size: 7pt; }
  .rows small { font-size: 6.5pt; }
  th, td { padding: 3px 6px 3px 0; }
  .rows th, .rows td { padding-right: 5px; }
  .wide { overflow: visible; }
}`;
