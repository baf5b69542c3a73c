/**
 * `npm run bench -- compare A.json B.json`: whether B is slower than A, row by row, from the windows of both reports.
 *
 * The command says what can be said beyond noise, and no more: `compare/verdicts.ts` has the test and why it is this
 * one.
 */
import { readReportWindows, UnreadableReportError } from '../compare/report-windows.ts';
import { rowsOf } from '../compare/rows.ts';
import {
  type Judged,
  judge,
  LEAST_WINDOWS,
  type Ratio,
  type Remark,
  type Verdict,
} from '../compare/verdicts.ts';
import { textTable } from '../measure/text-table.ts';

/** 1: something is slower. 2: these files can't be compared, and the reason was printed. */
type CompareExit = 0 | 1 | 2;

const header = ['row', 'figure', 'A', 'B', 'B of A (95 %)', 'finds from', 'p', 'verdict', ''];
const explanations: Readonly<Record<Remark, string>> = {
  disturbed: 'disturbed: all of its windows were, in both runs; they are used all the same',
  'by the floor':
    'by the floor: A and B are as measured; their ratio is that of their shares of the floor, round by round',
  'not in time':
    'not in time: a window in which the run waited in vain counts with the time that it waited; the true one is longer',
  'in turn': 'in turn: both ran at the same time, so each round of A is compared with that of B',
  'too few windows': `too few windows: ${LEAST_WINDOWS} undisturbed ones a side are the least`,
  'one side disturbed': "one side disturbed: all windows of one run were, and the other's weren't",
};

const unguarded =
  'rows that are not by the floor are as measured: nothing beside them shows what the host did between the runs';

export async function runCompare(
  fileA: string,
  fileB: string,
  print: (text: string) => void,
): Promise<CompareExit> {
  try {
    const { rows, single } = rowsOf(await readReportWindows(fileA), await readReportWindows(fileB));
    if (rows.length === 0) {
      throw new UnreadableReportError(
        `${fileA} and ${fileB} have no row in common: no system with the same scenario, connections and rate`,
      );
    }
    const results = judge(rows);
    print(textTable(header, results.map(cells)));
    print([...remarksOn(results), ...onlyOnce(single)].join('\n'));
    print(summary(results));
    return results.some(({ verdict, isReference }) => verdict === 'slower' && !isReference) ? 1 : 0;
  } catch (error) {
    if (!(error instanceof UnreadableReportError)) throw error;
    print(error.message);
    return 2;
  }
}

function cells({ name, figure, medians, ratio, p, verdict, isReference, remarks }: Judged): string[] {
  return [
    name,
    figure,
    ...(medians === undefined ? ['', ''] : medians.map(figureText)),
    ratio === undefined ? '–' : ratioText(ratio),
    ratio === undefined ? '–' : `±${percent(ratio.visible)}`,
    p === undefined ? '–' : p < 0.001 ? '<0.001' : p.toFixed(3),
    isReference ? `host: ${verdict}` : verdict,
    remarks.join(', '),
  ];
}

function remarksOn(results: readonly Judged[]): string[] {
  const tested = results.filter(({ p }) => p !== undefined).length;
  const used = (Object.keys(explanations) as Remark[]).filter((remark) =>
    results.some(({ remarks }) => remarks.includes(remark)),
  );
  const lines = used.map((remark) => explanations[remark]);
  lines.push(
    `p: Welch's t test of logarithms, two-sided, corrected for ${tested} ${tested === 1 ? 'row' : 'rows'} after Holm; below 0.05 a row differs`,
    'finds from: the smallest change of this row that would be found in four of five such comparisons',
  );
  if (results.some(isUnguarded)) lines.push(unguarded);
  return lines;
}

/** Nothing of its run shows what the host did meanwhile. */
function isUnguarded({ isReference, medians, ratio, remarks }: Judged): boolean {
  const isSingleRow = medians !== undefined && ratio !== undefined && !isReference;
  return isSingleRow && !remarks.includes('by the floor') && !remarks.includes('in turn');
}

function onlyOnce(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`in one file only, not compared: ${names.join('; ')}`];
}

/** One line, and the same words in each run: for those who read the last line alone. */
function summary(results: readonly Judged[]): string {
  const blamed = results.filter(({ isReference }) => !isReference);
  const named = (verdict: Verdict) => blamed.filter((result) => result.verdict === verdict);
  const parts = (['slower', 'faster'] as const).map((verdict) => {
    const found = named(verdict).map(({ name, ratio }) => `${name} (${ratio?.value.toFixed(2)} of A)`);
    return `${found.length} ${verdict}${found.length === 0 ? '' : `: ${found.join('; ')}`}`;
  });
  parts.push(`${named('no difference').length} no difference`, `${named("can't tell").length} can't tell`);
  return parts.join(' – ');
}

function figureText(value: number | string): string {
  if (typeof value === 'string') return value;
  if (Number.isNaN(value)) return '–';
  return value >= 1_000 ? Math.round(value).toLocaleString('en') : value.toFixed(2);
}

function ratioText({ value, low, high }: Ratio): string {
  return `${value.toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`;
}

function percent(share: number): string {
  return share < 0.1 ? `${(share * 100).toFixed(1)} %` : `${Math.round(share * 100)} %`;
}
