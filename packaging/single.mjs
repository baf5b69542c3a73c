/**
 * Makes `release/purser-<platform>-<arch>`: Node, the program and the binaries in one file, for the platform that this
 * runs on.
 *
 *     node packaging/single.mjs [--node FILE] [--into FOLDER]
 *
 * Without `--node` it takes the one of node-binary.mjs. A Node that can make a single executable by itself
 * (`--build-sea`) does, else postject puts the parts into it. The file must not be stripped afterwards: it would crash.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';
import postject from 'postject';
import { fetchNode, nodeVersions } from './node-binary.mjs';
import { makePackageFiles } from './package-files.mjs';
import { buildOptions, putInto, root, told } from './release.mjs';
import { singleFiles } from './single-files.mjs';

/** Node looks for it, to learn whether it has something inside. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
/** From this version on. */
const BUILDS_BY_ITSELF = [25, 5];

const { platform, arch } = process;
const { node: given, target } = buildOptions();
const folder = mkdtempSync(join(tmpdir(), 'purser-single-'));
try {
  await makePackageFiles();
  const made = putInto(target, await make(given ?? fetchNode(folder)));
  console.log(`made ${told(made)}, ${Math.round(statSync(made).size / 1e6)} MB`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Returns its path, below `folder`. */
async function make(node) {
  const { version, abi } = nodeVersions(node);
  const isAlone = isAtLeast(version, BUILDS_BY_ITSELF);
  const file = join(folder, `purser-${platform}-${arch}`);
  const made = isAlone ? file : join(folder, 'blob');
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
  if (!isAlone) copyFileSync(node, file);
  chmodSync(file, 0o755);
  if (platform === 'darwin') execFileSync('codesign', ['--remove-signature', file]);
  if (!isAlone) await inject(file, readFileSync(made));
  if (platform === 'darwin') execFileSync('codesign', ['--sign', '-', file]);
  return file;
}

function isAtLeast(version, [major, minor]) {
  const [its, itsMinor] = version.split('.').map(Number);
  return its > major || (its === major && itsMinor >= minor);
}

async function inject(file, blob) {
  await postject.inject(file, 'NODE_SEA_BLOB', blob, {
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
