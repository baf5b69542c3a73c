/**
 * The package for Debian: Node, the program and its binaries as files below `/usr/lib/purser/`, and around them what a
 * service needs. Texts that the program knows best are printed by the program itself, as it lies in the package: the
 * unit and the file of secrets. So the package is also proved to start.
 *
 * Not the single file: that unpacks itself, which is what dpkg does (decision 36).
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { nodeVersions } from '../node-binary.mjs';
import { putInto } from '../release.mjs';
import { singleFiles } from '../single-files.mjs';
import { refuseStrangers } from '../strangers.mjs';
import { changelog, controlFile, copyright } from './descriptions.mjs';

const PROGRAM = 'usr/lib/purser';
const COMMAND = 'usr/bin/purser';
const DOCS = 'usr/share/doc/purser';
const UNIT = 'etc/systemd/system/purser.service';
const ENVIRONMENT = 'etc/purser/environment';
const CONFIG = 'etc/purser/purser.json';
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };
const SCRIPTS = ['postinst', 'prerm', 'postrm'];
const OVERRIDES = 'usr/share/lintian/overrides/purser';
/** Which of the single file's files are no part of the program. */
const LICENCE = /(?:LICENSE|LICENCE\.txt|LICENCES\.txt)$/;
const NEEDLESS = /^purser\/(?:LICENSE|bin\/forked\.cjs)$/;

/**
 * Makes the package in the folder `target` from `dist/program/`, and returns its path. `node` is the Node that goes into
 * it. `compression` is one of dpkg-deb's.
 */
export function makeDeb({ root, node, target, epochSeconds, compression = 'xz' }) {
  const architecture = ARCHITECTURES[process.arch];
  if (process.platform !== 'linux' || architecture === undefined)
    throw new Error('a package for Debian is made on Linux, for amd64 or arm64');
  const folder = mkdtempSync(join(tmpdir(), 'purser-deb-'));
  const stage = join(folder, 'stage');
  try {
    refuseStrangers(root);
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    stageProgram(stage, { root, node });
    stagePrinted(stage, join(folder, 'printed'), root);
    stageDocs(stage, { root, version, epochSeconds });
    setModes(stage);
    stageControl(stage, { root, version, architecture });
    const made = join(folder, `purser_${version}_${architecture}.deb`);
    execFileSync('dpkg-deb', ['--build', '--root-owner-group', `-Z${compression}`, stage, made], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(epochSeconds) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return putInto(target, made);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function stageProgram(stage, { root, node }) {
  const { abi } = nodeVersions(node);
  const { platform, arch } = process;
  for (const { path, source } of singleFiles({ root, node, platform, arch, abi }).files) {
    if (NEEDLESS.test(path)) continue;
    const place = LICENCE.test(path)
      ? join(DOCS, 'licences', path.replace(/^(?:purser|node_modules)\//, '').replaceAll('/', '-'))
      : join(PROGRAM, path.replace(/^purser\//, ''));
    put(stage, place, readFileSync(source));
  }
  execFileSync('strip', ['--strip-unneeded', '-o', join(stage, PROGRAM, 'bin', 'node'), node]);
  for (const file of filesBelow(join(stage, PROGRAM)))
    if (file.endsWith('.node')) execFileSync('strip', ['--strip-unneeded', file]);
  const entry = join(stage, PROGRAM, 'bin', 'purser.cjs');
  // Another Node than this one may be installed beside it.
  writeFileSync(entry, readFileSync(entry, 'utf8').replace(/^#!.*\n/, ''));
  put(stage, COMMAND, readFileSync(join(root, 'packaging', 'deb', 'purser')));
}

/** `below`: a root of its own, for the command that installs a service. */
function stagePrinted(stage, below, root) {
  const bin = join(stage, PROGRAM, 'bin');
  const run = (...args) =>
    execFileSync(join(bin, 'node'), [join(bin, 'purser.cjs'), ...args], { encoding: 'utf8' });
  const config = readFileSync(join(root, 'packaging', 'deb', 'purser.json'));
  put(stage, CONFIG, config);
  put(below, CONFIG, config);
  // The user is made where the package is installed.
  put(below, 'etc/passwd', 'purser:x:1:1::/:/\n');
  run('install-service', '--root', below, '--exec', '/usr/bin/purser', '--config', `/${CONFIG}`);
  put(stage, 'usr/lib/systemd/system/purser.service', readFileSync(join(below, UNIT)));
  put(stage, 'usr/share/purser/environment', readFileSync(join(below, ENVIRONMENT)));
}

function stageDocs(stage, { root, version, epochSeconds }) {
  put(stage, join(DOCS, 'copyright'), copyright());
  put(stage, join(DOCS, 'changelog.gz'), gzipSync(changelog(version, epochSeconds), { level: 9 }));
  for (const name of ['README.md', 'CHANGELOG.md', 'docs', 'examples'])
    cpSync(join(root, name), join(stage, DOCS, name), { recursive: true });
  put(stage, OVERRIDES, readFileSync(join(root, 'packaging', 'deb', 'lintian-overrides')));
}

function stageControl(stage, { root, version, architecture }) {
  const files = filesBelow(stage).sort();
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const sums = files.map(
    (file) =>
      `${createHash('md5').update(readFileSync(file)).digest('hex')}  ${file.slice(stage.length + 1)}\n`,
  );
  const glibc = newestGlibc(files.filter((file) => /\.node$|\/bin\/node$/.test(file)));
  put(
    stage,
    'DEBIAN/control',
    controlFile({ version, architecture, glibc, installedKb: Math.ceil(bytes / 1024) }),
  );
  put(stage, 'DEBIAN/conffiles', `/${CONFIG}\n`);
  put(stage, 'DEBIAN/md5sums', sums.filter((line) => !line.endsWith(`  ${CONFIG}\n`)).join(''));
  for (const name of SCRIPTS) {
    put(stage, join('DEBIAN', name), readFileSync(join(root, 'packaging', 'deb', name)));
    chmodSync(join(stage, 'DEBIAN', name), 0o755);
  }
  chmodSync(join(stage, 'DEBIAN'), 0o755);
}

/** The newest version of the C library that the binaries ask for, such as `2.28`. */
function newestGlibc(binaries) {
  const asked = binaries.flatMap((file) => {
    const headers = execFileSync('objdump', ['-p', file], { encoding: 'utf8', maxBuffer: 1e8 });
    return [...headers.matchAll(/\bGLIBC_2\.(\d+)\b/g)].map(([, minor]) => Number(minor));
  });
  return `2.${Math.max(...asked)}`;
}

function setModes(stage) {
  const programs = [COMMAND, join(PROGRAM, 'bin', 'node')].map((path) => join(stage, path));
  for (const entry of readdirSync(stage, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isSymbolicLink())
      chmodSync(path, entry.isDirectory() || programs.includes(path) ? 0o755 : 0o644);
  }
  chmodSync(stage, 0o755);
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function put(stage, path, content) {
  const file = join(stage, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
