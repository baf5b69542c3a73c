/**
 * Makes `release/purser-<platform>-<arch>`: Node, the program and the binaries in one file, for the platform that this
 * runs on.
 *
 *     node packaging/single.mjs [--node FILE]
 *
 * Without `--node` it takes the one of node-binary.mjs. A Node that can make a single executable by itself
 * (`--build-sea`) does, else postject puts the parts into it. The file must not be stripped afterwards: it would crash.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildSync } from 'esbuild';
import { fetchNode, fetchPackage, nodeVersions } from './node-binary.mjs';
import { release, root } from './release.mjs';
import { singleFiles } from './single-files.mjs';

const POSTJECT_VERSION = '1.0.0-alpha.6';
/** Node looks for it, to learn whether it has something inside. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
/** From this version on. */
const BUILDS_BY_ITSELF = [25, 5];

const { platform, arch } = process;
const { values } = parseArgs({ options: { node: { type: 'string' } } });
const target = join(release, `purser-${platform}-${arch}`);
const folder = mkdtempSync(join(tmpdir(), 'purser-single-'));
try {
  await import('./package-files.mjs');
  mkdirSync(release, { recursive: true });
  await make(values.node === undefined ? fetchNode(folder) : resolve(values.node));
  console.log(`made release/purser-${platform}-${arch}, ${Math.round(statSync(target).size / 1e6)} MB`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function make(node) {
  const { version, abi } = nodeVersions(node);
  const isAlone = isAtLeast(version, BUILDS_BY_ITSELF);
  const made = join(folder, isAlone ? 'purser' : 'blob');
  writeFileSync(
    join(folder, 'sea.json'),
    JSON.stringify({
      // Relative: the path is in what is made.
      main: basename(bundledMain()),
      output: basename(made),
      disableExperimentalSEAWarning: true,
      assets: assetsOf(singleFiles({ root, node, platform, arch, abi })),
    }),
  );
  execFileSync(node, [isAlone ? '--build-sea' : '--experimental-sea-config', 'sea.json'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  rmSync(target, { force: true });
  copyFileSync(isAlone ? made : node, target);
  chmodSync(target, 0o755);
  if (platform === 'darwin') execFileSync('codesign', ['--remove-signature', target]);
  if (!isAlone) await inject(readFileSync(made));
  if (platform === 'darwin') execFileSync('codesign', ['--sign', '-', target]);
}

function isAtLeast(version, [major, minor]) {
  const [its, itsMinor] = version.split('.').map(Number);
  return its > major || (its === major && itsMinor >= minor);
}

async function inject(blob) {
  const postject = createRequire(import.meta.url)(fetchPackage(folder, 'postject', POSTJECT_VERSION));
  await postject.inject(target, 'NODE_SEA_BLOB', blob, {
    sentinelFuse: FUSE,
    ...(platform === 'darwin' && { machoSegmentName: 'NODE_SEA' }),
  });
}

function bundledMain() {
  const outfile = join(folder, 'main.cjs');
  buildSync({
    absWorkingDir: root,
    entryPoints: [join('packaging', 'single', 'main.cjs')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    logLevel: 'warning',
  });
  return outfile;
}

/** By their names: each file under its path, and what `packaging/single/main.cjs` must know of all of them. */
function assetsOf({ files, probe }) {
  const listed = files.map(({ path, source }) => ({
    name: path,
    path,
    sha256: createHash('sha256').update(readFileSync(source)).digest('hex'),
  }));
  const hash = createHash('sha256').update(JSON.stringify(listed)).digest('hex').slice(0, 32);
  const contents = join(folder, 'contents.json');
  writeFileSync(contents, JSON.stringify({ hash, probe, files: listed }));
  return {
    'contents.json': contents,
    ...Object.fromEntries(files.map(({ path, source }) => [path, source])),
  };
}
