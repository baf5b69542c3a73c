/**
 * Makes what tests run from, in place of `npm run build`, which takes ten times as long; `test/run.ts` checks the types.
 *
 * - `dist/src`, `dist/test`, `dist/bench`, `dist/examples`: a file for each source, with its map;
 * - `dist/program/` and the client, as they are shipped (packaging/package-files.mjs). Threads and processes that
 *   sources start run from there, too: a file each, where the start of a node loads a thousand otherwise.
 *
 * Rejected: a bundle for each test, which took 20 s of a processor, and saved the tests half of that.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { makePackageFiles } from '../../packaging/package-files.mjs';
import { COMMON, startedPrograms } from '../../packaging/program.mjs';

const root = join(import.meta.dirname, '..', '..');
const dist = join(root, 'dist');
const FOLDERS = ['src', 'test', 'bench', 'examples'];
/** A name of a source in what esbuild has written: Node finds the file beside it. */
const SOURCE_NAME = /(\bfrom |\bimport[ (])"(\.[^"]+)\.ts"/g;

const { outputFiles } = await build({
  ...COMMON,
  bundle: false,
  entryPoints: FOLDERS.flatMap(sourcesIn),
  outbase: root,
  outdir: dist,
  sourcemap: true,
  sourcesContent: false,
  write: false,
});
for (const folder of new Set(outputFiles.map(({ path }) => dirname(path))))
  mkdirSync(folder, { recursive: true });
for (const { path, text } of outputFiles) writeFileSync(path, text.replace(SOURCE_NAME, '$1"$2.js"'));
removeOthers(new Set(outputFiles.map(({ path }) => path)));
await makePackageFiles();
for (const [name, source] of Object.entries(startedPrograms(root))) {
  const file = join(dist, relative(root, source)).replace(/\.ts$/, '.js');
  writeFileSync(file, `import '${relative(dirname(file), join(dist, 'program', name))}.js';\n`);
}

/** Files of sources that are gone. The rest stays in its place, for tests may run from it. */
function removeOthers(written) {
  for (const folder of FOLDERS)
    for (const name of readdirSync(join(dist, folder), { recursive: true })) {
      const map = join(dist, folder, name);
      if (!name.endsWith('.js.map') || written.has(map)) continue;
      for (const file of [map, map.slice(0, -'.map'.length)]) rmSync(file, { force: true });
    }
}

function sourcesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(root, folder, name));
}
