/**
 * What `npm test` builds in place of `npm run build`, which takes twenty times as long: `test/run.ts` checks the types
 * while tests run.
 *
 * - `dist/`, as the TypeScript compiler would write it, a file for each file;
 * - `dist/bundle/`, laid out as an installed package: the command of `bin/`, and the program with its packages in few
 *   files. It starts with 30 % less processor time, and tests start some 150 servers. `test/run.ts` says where it is;
 *   a test that is run by itself starts `bin/purser.cjs`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';

const { copyPageFiles } = createRequire(import.meta.url)('../bin/page-files.cjs');

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const sources = ['src', 'test', 'bench', 'examples'];
const files = sources.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(root, folder, name)),
);
/** They find files of their own beside themselves, or are no JavaScript. */
const UNBUNDLED = ['lmdb', 'uWebSockets.js', 'piscina'];
/** How the program names the files of its threads: relative to the file that starts them. */
const THREAD = /new URL\('(\.[^']+)\.js', import\.meta\.url\)/g;

const common = { bundle: true, format: 'esm', platform: 'node', target: 'node20', logLevel: 'warning' };

for (const folder of sources) rmSync(join(dist, folder), { recursive: true, force: true });
rmSync(join(dist, 'bundle'), { recursive: true, force: true });
await build({
  ...common,
  entryPoints: files,
  outbase: root,
  outdir: dist,
  sourcemap: true,
  sourcesContent: false,
  plugins: [{ name: 'file by file', setup: leaveImports }],
});
copyPageFiles(root);
declareClient();
writeFileSync(join(dist, '.built'), '');
await bundleProgram();

function leaveImports({ onResolve }) {
  onResolve({ filter: /./ }, ({ kind, path }) => {
    if (kind === 'entry-point') return undefined;
    return { path: path.startsWith('.') ? path.replace(/\.ts$/, '.js') : path, external: true };
  });
}

/** The types of the package's client, which esbuild can't write. */
function declareClient() {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const project = join(root, 'tsconfig.client.json');
  rmSync(join(dist, '.tsbuildinfo-client'), { force: true });
  const { status } = spawnSync(process.execPath, [compiler, '--project', project, '--noCheck'], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
}

async function bundleProgram() {
  const bundle = join(dist, 'bundle');
  const entryPoints = { program: join(root, 'src', 'cli', 'program.ts') };
  const threads = files
    .filter((name) => name.startsWith(join(root, 'src')))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(THREAD)].map(([, path]) => ({
        path,
        file: join(dirname(file), `${path}.ts`),
      })),
    );
  // A thread may start another, and then looks for it beside itself.
  const folders = new Set(['', ...threads.map(({ path }) => dirname(path))]);
  for (const { path, file } of threads) {
    for (const folder of folders) entryPoints[join(folder, path)] = file;
  }
  const program = join(bundle, 'dist', 'src', 'cli');
  await build({
    ...common,
    entryPoints,
    outdir: program,
    splitting: true,
    minifyWhitespace: true,
    minifySyntax: true,
    external: UNBUNDLED,
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
  cpSync(join(root, 'bin'), join(bundle, 'bin'), { recursive: true });
  cpSync(join(dist, 'src', 'http', 'docs-page'), join(program, 'docs-page'), { recursive: true });
  writeFileSync(join(bundle, 'package.json'), '{"type":"module"}');
  console.log(`built ${relative(root, dist)} and ${relative(root, bundle)}, unchecked`);
}
