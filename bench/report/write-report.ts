/**
 * A run's report as files: `report.html` to look at, `report.json` and `report.csv` for programs, and
 * pictures for the documentation.
 *
 * Invariant: a file is whole, or as it was before. Each is written beside its place and then moved there.
 */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { csvOf } from './csv.ts';
import { reportPage } from './html.ts';
import { makeReportFolder } from './report-folder.ts';
import type { Results } from './results.ts';
import { picturesOf } from './svg.ts';

/** Resolves to the files' paths. */
export async function writeReport(folder: string, results: Results): Promise<string[]> {
  const files: [name: string, text: string][] = [
    ['report.html', reportPage(results)],
    ['report.json', jsonOf(results)],
    ['report.csv', csvOf(results.rows)],
    ...picturesOf(results).map(({ name, svg }): [string, string] => [join('pictures', name), svg]),
  ];
  const paths: string[] = [];
  await makeReportFolder(folder);
  for (const [name, text] of files) {
    const path = join(folder, name);
    await writeWhole(path, text);
    paths.push(path);
  }
  return paths;
}

async function writeWhole(path: string, text: string): Promise<void> {
  const beside = `${path}.${process.pid}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(beside, text);
    await rename(beside, path);
  } finally {
    await rm(beside, { force: true });
  }
}

/** A line a system, a window and a row: short, and still readable with a pager. */
function jsonOf(results: Results): string {
  const known = Object.entries(results).filter(([, value]) => value !== undefined);
  const fields = known.map(([name, value]) => {
    if (!Array.isArray(value)) return `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
    const lines = value.map((element) => JSON.stringify(element)).join(',\n');
    return `${JSON.stringify(name)}: [\n${lines}\n]`;
  });
  return `{\n${fields.join(',\n')}\n}\n`;
}
