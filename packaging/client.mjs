/**
 * The client of `purser/client`, below `dist/src/`: its types, by the compiler, and for each the module, a file for a
 * file, so that whoever debugs a purchase reads what we wrote.
 *
 * Always the same bytes, whichever build was here before: packages are made of these files.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { build } from 'esbuild';

const TYPES = '.d.ts';

/** The modules and their types, relative to `root`, sorted. Throws when the compiler refuses. */
export async function buildClient(root) {
  const types = writeTypes(root);
  const sources = types.map((file) => join('src', relative(join('dist', 'src'), file)).replace(TYPES, '.ts'));
  await build({
    absWorkingDir: root,
    entryPoints: sources,
    outbase: 'src',
    outdir: join('dist', 'src'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    logLevel: 'warning',
    plugins: [{ name: 'file by file', setup: leaveImports }],
  });
  return [...types, ...types.map((file) => file.replace(TYPES, '.js'))].sort();
}

/** Leaves what a file imports in a file of its own. */
export function leaveImports({ onResolve }) {
  onResolve({ filter: /./ }, ({ kind, path }) => {
    if (kind === 'entry-point') return undefined;
    return { path: path.startsWith('.') ? path.replace(/\.ts$/, '.js') : path, external: true };
  });
}

function writeTypes(root) {
  const compiler = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc');
  const project = join(root, 'tsconfig.client.json');
  // It trusts its own record of what it wrote, even when the files are gone.
  rmSync(join(root, 'dist', '.tsbuildinfo-client'), { force: true });
  const args = [compiler, '--project', project, '--noCheck', '--listEmittedFiles'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the types of the client can't be written: ${stdout}${stderr}`);
  return stdout
    .split('\n')
    .filter((line) => line.endsWith(TYPES))
    .map((line) => relative(root, line.replace(/^TSFILE: /, '')).replaceAll(sep, '/'));
}
