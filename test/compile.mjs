/**
 * What `npm test` builds in place of `npm run build`, which takes twenty times as long: `test/run.ts` checks the types
 * while tests run.
 *
 * - `dist/`, as the TypeScript compiler would write it, a file for each file;
 * - `dist/program/`, as it is shipped (packaging/program.mjs);
 * - `dist/bundle/`, laid out as an installed package: the command of `bin/`, the program as it is shipped, each test that
 *   has a process of its own, each process that tests share and each program that these start, every one with all that
 *   it imports in few files. Node takes longer to find and to load hundreds of small ones than most tests take.
 *   `test/run.ts` says where it is; a test that is run by itself runs in `dist/`, and starts `bin/purser.cjs`.
 *
 * A file that asks where it lies (`import.meta`) is told its place in the bundle, whatever file it has become a part of:
 * so it finds the programs that it starts.
 */
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { leaveImports } from '../packaging/client.mjs';
import { makePackageFiles } from '../packaging/package-files.mjs';
import { COMMON, programsNamedIn, SMALL } from '../packaging/program.mjs';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const bundle = join(dist, 'bundle');
const sources = ['src', 'test', 'bench', 'examples'];
const files = sources.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(root, folder, name)),
);
/** They find files of their own beside themselves, or are no JavaScript. */
const UNBUNDLED = ['lmdb', 'uWebSockets.js', 'piscina', 'purser'];
/** Few tests use them, and load them late. */
const LOADED_LATE = [
  '@axe-core/playwright',
  'fastify',
  'hdr-histogram-js',
  'linkedom',
  'mysql2',
  'openapi-typescript',
  'playwright-core',
  'redis',
  'tinybench',
  'typescript',
  '@photostructure/sqlite',
  '@redocly/cli',
  'esbuild',
];
/** A program that runs a node. */
const IS_NODE = /from '\.\.\/\.\.\/src\/(main|node|cli\/program)\.ts'/;
const IS_PROGRAM = /fileURLToPath\(import\.meta\.url\)|--import \$\{import\.meta\.url\}/;

for (const folder of sources) rmSync(join(dist, folder), { recursive: true, force: true });
rmSync(bundle, { recursive: true, force: true });
await build({
  ...COMMON,
  entryPoints: files,
  outbase: root,
  outdir: dist,
  sourcemap: true,
  sourcesContent: false,
  plugins: [{ name: 'file by file', setup: leaveImports }],
});
await Promise.all([makePackageFiles(), bundleTests()]);
putTogether();

async function bundleTests() {
  const started = new Set(files.flatMap(programsOf));
  const { sharedProcesses } = await compiledModule('shared-process');
  const { ALONE } = await compiledModule('run-order');
  const shared = sharedProcesses(join(dist, 'test'), ALONE);
  const sharing = new Set(shared.flatMap((each) => each.files));
  const tests = files.filter((file) => file.endsWith('.test.ts') && !sharing.has(compiledOf(file, dist)));
  const bundling = {
    ...COMMON,
    outbase: root,
    outdir: join(bundle, 'dist'),
    external: [...UNBUNDLED, ...LOADED_LATE],
    plugins: [{ name: 'places in the bundle', setup: tellPlaces }],
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  };
  const nodes = [...started].filter((file) => IS_NODE.test(readFileSync(file, 'utf8')));
  const others = [...started, ...tests].filter((file) => !nodes.includes(file));
  await Promise.all([
    // What these import late, or have in common, is in files of its own.
    build({ ...bundling, ...SMALL, splitting: true, entryPoints: nodes }),
    build({ ...bundling, entryPoints: others }),
    build({
      ...bundling,
      entryPoints: shared.map(({ name }) => ({ in: name, out: join('test', name) })),
      plugins: [...bundling.plugins, { name: 'files that share a process', setup: importAll(shared) }],
    }),
  ]);
}

function putTogether() {
  for (const name of ['purser.cjs', 'say.cjs']) cpSync(join(root, 'bin', name), join(bundle, 'bin', name));
  cpSync(join(dist, 'program'), join(bundle, 'dist', 'program'), { recursive: true });
  for (const served of [join('dist', 'src', 'http', 'docs-page'), join('dist', 'console')])
    cpSync(join(root, served), join(bundle, served), { recursive: true });
  console.log(`built ${relative(root, dist)} and ${relative(root, bundle)}, unchecked`);
}

function compiledModule(name) {
  return import(pathToFileURL(join(dist, 'test', `${name}.js`)).href);
}

/** The program of a process that files share imports each of them. */
function importAll(shared) {
  const names = new RegExp(`^(${shared.map(({ name }) => name).join('|')})$`);
  return ({ onResolve, onLoad }) => {
    onResolve({ filter: names }, ({ path }) => ({ path, namespace: 'shared' }));
    onLoad({ filter: names, namespace: 'shared' }, ({ path }) => {
      const { files: compiled } = shared.find(({ name }) => name === path);
      const sourceOf = (file) => join(root, relative(dist, file)).replace(/\.js$/, '.ts');
      const contents = compiled.map((file) => `import ${JSON.stringify(sourceOf(file))};`).join('\n');
      return { contents, loader: 'js', resolveDir: root };
    });
  };
}

/** Itself, if it is one, and those that it names. */
function programsOf(file) {
  const text = readFileSync(file, 'utf8');
  return [...programsNamedIn(file, text), ...(IS_PROGRAM.test(text) ? [file] : [])];
}

function compiledOf(file, folder) {
  return join(folder, relative(root, file).replace(/\.ts$/, '.js'));
}

function tellPlaces({ onLoad }) {
  onLoad({ filter: /\.ts$/ }, ({ path }) => {
    if (path.includes('node_modules')) return undefined;
    const place = compiledOf(path, join(bundle, 'dist'));
    const told = { url: pathToFileURL(place).href, dirname: dirname(place), filename: place };
    const text = readFileSync(path, 'utf8');
    const contents = text.replace(/\bimport\.meta\.(url|dirname|filename)\b/g, (_, name) =>
      JSON.stringify(told[name]),
    );
    return { contents, loader: 'ts' };
  });
}
