/**
 * The program as it is shipped: one file each for the command, for every thread and every process that it starts, and
 * for what several of them have in common, all in one folder. Nothing is imported from elsewhere but Node itself,
 * LMDB's binary (`@lmdb/lmdb-…`) and, where it is installed, uWebSockets.js.
 *
 * One folder, and not the tree of the sources: wherever a part of the code ends up, what it starts and reads is beside
 * it. Names stay as they are, so that an error says where it was; of white space and long forms nothing is left.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { build } from 'esbuild';
import { licencesOf } from './licences.mjs';

/** How a file names a program of its own: relative to itself, with the ending that the file itself has. */
const PROGRAM =
  /(?:new URL\(|join\(import\.meta\.dirname, )['`](\.{0,2}[^'`]+?)(?:\.js['`]|\$\{import\.meta\.filename\.slice\(-3\)\}`)/g;
/** A file, or a folder, that the code finds from where it lies. */
const PLACE = /new URL\('\.{1,2}\/(?:[^'/]+\/)*([^'/]+(?:\.js|\/))', import\.meta\.url\)/g;
/** Places of files that are beside the code already. */
const PLACED = /new URL\([`'][^`']+[`'], import\.meta\.url\)/g;
const REQUIRED = /createRequire\(import\.meta\.url\)\('([^']+)'\)/g;
/** Modules that a command loads when it runs. */
const LATE = /import\('(\.{1,2}\/[^']+\.ts)'\)/g;
const LATE_OF_COMMANDS = 'purser:late-of-commands';

/** Loaded if they are there: the operator's choice, and parts of libraries that Purser doesn't use. */
const OUTSIDE = ['uWebSockets.js', 'pg-native', '@napi-rs/nice', 'msgpackr-extract'];

/** The command's, and the one that Piscina looks for beside itself. */
const OTHERS = new Map([
  ['program', join('src', 'cli', 'program.ts')],
  ['worker', join('node_modules', 'piscina', 'dist', 'worker.js')],
]);

/** Packages for which Node itself does. The one of URLs, of grammY's HTTP client, has a part that Node warns of. */
const OF_NODE = { 'whatwg-url': 'node:url' };
/** Another one: that HTTP client knows a signal by its class's name, which the bundler would change. */
const ABORT = { filter: /[\\/]abort-controller[\\/]dist[\\/]abort-controller\.m?js$/ };
const ABORT_OF_NODE = 'module.exports = { AbortController, AbortSignal };';

/** For files that still call `require` or ask for their folder, whose names the bundler doesn't know of. */
const NODE_NAMES = `import { createRequire as $createRequire } from 'node:module';
import { dirname as $dirname } from 'node:path';
import { fileURLToPath as $fileURLToPath } from 'node:url';
const require = $createRequire(import.meta.url), __filename = $fileURLToPath(import.meta.url), __dirname = $dirname(__filename);`;

export const COMMON = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
};
export const SMALL = { minifyWhitespace: true, minifySyntax: true };

/**
 * Makes `folder` anew from the sources below `root`, and from what `bin/*-files.cjs` have put into `dist/`: `pages` are
 * the files that they have made that of. The new folder is put in place when it is whole; until then, the one before
 * stays.
 */
export async function bundleProgram(root, folder, pages = []) {
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  const building = {
    ...COMMON,
    ...SMALL,
    absWorkingDir: root,
    outdir: unfinished,
    external: OUTSIDE,
    alias: OF_NODE,
    metafile: true,
    plugins: [{ name: 'beside each other', setup: putBeside }],
    banner: { js: NODE_NAMES },
  };
  const [program, worker] = ['program', 'worker'].map((name) => join(root, OTHERS.get(name)));
  const plugins = [lateOfCommands(root), ...building.plugins];
  const built = await Promise.all([
    build({ ...building, entryPoints: { program }, splitting: true, plugins }),
    build({ ...building, entryPoints: { worker, ...startedPrograms(root) } }),
  ]);
  const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  writeFileSync(join(unfinished, 'THIRD-PARTY-LICENCES.txt'), licencesOf(root, [...inputs, ...pages]));
  nameLmdb(root, unfinished);
  cpSync(join(root, 'dist', 'src', 'http', 'pages', 'docs-page'), join(unfinished, 'docs-page'), {
    recursive: true,
  });
  cpSync(join(root, 'dist', 'console'), join(unfinished, 'console'), { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
}

/** The programs that a source file names, as sources. */
export function programsNamedIn(file, text) {
  const named = [...text.matchAll(PROGRAM)].map(([, path]) => join(dirname(file), `${path}.ts`));
  return named.filter((name) => existsSync(name));
}

/** The programs of threads and processes that sources start, by the names that they have beside the command's. */
export function startedPrograms(root) {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(root, 'src', name));
  const started = sources.flatMap((file) => programsNamedIn(file, readFileSync(file, 'utf8')));
  const programs = {};
  for (const file of new Set(started)) {
    const name = basename(file, '.ts');
    if (name in programs || OTHERS.has(name))
      throw new Error(`two programs are called ${name}: they would be one file`);
    programs[name] = file;
  }
  return programs;
}

/**
 * Makes one file of what commands load late, but for the server. Otherwise each such part would be a file, and so would
 * be whatever some of them have in common and others haven't: a hundred files, most of them under 3 KB.
 */
function lateOfCommands(root) {
  const commands = join(root, 'src', 'cli');
  const server = join(root, 'src', 'main.ts');
  const isOfCommand = (path) => path.startsWith(commands + sep);
  const late = readdirSync(commands, { recursive: true, encoding: 'utf8' })
    .map((name) => join(commands, name))
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(LATE)].map(([, path]) => resolve(dirname(file), path)),
    )
    .filter((file) => file !== server && !isOfCommand(file));
  const names = new Map([...new Set(late)].sort().map((file, at) => [file, `part${at}`]));
  const parts = [...names].map(([file, name]) => `export * as ${name} from ${JSON.stringify(file)};`);
  return {
    name: 'late of commands',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${LATE_OF_COMMANDS}$`) }, () => ({
        path: 'late-of-commands',
        namespace: 'purser',
      }));
      onLoad({ filter: /^late-of-commands$/, namespace: 'purser' }, () => ({
        contents: parts.join('\n'),
        resolveDir: root,
      }));
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!isOfCommand(path)) return undefined;
        const contents = readFileSync(path, 'utf8').replace(LATE, (whole, imported) => {
          const name = names.get(resolve(dirname(path), imported));
          return name === undefined ? whole : `import('${LATE_OF_COMMANDS}').then((late) => late.${name})`;
        });
        return { contents: placed(path, contents), loader: 'ts' };
      });
    },
  };
}

function putBeside({ onLoad }) {
  onLoad(ABORT, () => ({ contents: ABORT_OF_NODE, loader: 'js' }));
  onLoad({ filter: /\.ts$/ }, ({ path }) => {
    if (path.includes('node_modules')) return undefined;
    return { contents: placed(path, readFileSync(path, 'utf8')), loader: 'ts' };
  });
  onLoad({ filter: /[\\/]lmdb[\\/]dist[\\/]index\.cjs$/ }, ({ path }) => {
    const text = readFileSync(path, 'utf8');
    const contents = text.replace(/(= loadNAPI.*)\(dirName\);/, "$1(pathModule.join(__dirname, 'lmdb'));");
    if (contents === text) throw new Error(`${path} looks for its binary in a way that we don't know`);
    return { contents, loader: 'js' };
  });
}

/** A source with what it finds from where it lies beside it, in one folder. */
function placed(path, text) {
  const contents = text.replace(PLACE, "new URL('./$1', import.meta.url)").replace(REQUIRED, "require('$1')");
  if (/\bimport\.meta\b/.test(contents.replace(PLACED, '')))
    throw new Error(`${path} asks where it lies in a way that packaging/program.mjs doesn't know`);
  return contents;
}

/** By this file the library knows what its binaries' packages are called. */
function nameLmdb(root, folder) {
  const { name, version, license } = JSON.parse(
    readFileSync(join(root, 'node_modules', 'lmdb', 'package.json'), 'utf8'),
  );
  mkdirSync(join(folder, 'lmdb'));
  writeFileSync(
    join(folder, 'lmdb', 'package.json'),
    `${JSON.stringify({ name, version, license }, null, 2)}\n`,
  );
}
