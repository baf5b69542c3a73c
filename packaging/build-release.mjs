/**
 * `npm run build:release`: makes `release/` anew, with all that a version is published as: the single file, the packages,
 * what is inside of them (a bill of materials, licences), and the sums of all of it.
 *
 * The release is made beside, and takes the place of the older one when all of it is there: `release/` is never half of
 * a release. The same commit gives the same bytes, with the same tools (CONTRIBUTING.md): times inside are those of the
 * release.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifest, packInto, release, root, told } from './release.mjs';
import { dateOfRelease } from './releasing/changelog.mjs';
import { contentsOf } from './releasing/contents.mjs';
import { sbomOf } from './releasing/sbom.mjs';
import { step } from './releasing/step.mjs';
import { refuseStrangers } from './strangers.mjs';

const { version } = manifest;
const unfinished = `${release}.unfinished`;

try {
  await make();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(unfinished, { recursive: true, force: true });
}

async function make() {
  const date = dateOfRelease(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
  if (date === undefined)
    throw new Error(`CHANGELOG.md has no release ${version}: npm run release makes one`);
  refuseStrangers(root);
  rmSync(unfinished, { recursive: true, force: true });
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(Date.parse(date) / 1_000) };
  for (const script of ['build:single', 'build:deb', 'build:client'])
    await step('npm', ['run', script, '--', '--into', unfinished], { cwd: root, env });
  // The scripts before have made its files.
  console.log(`made ${told(packInto(unfinished, root))}`);
  describeContents(date);
  writeSums();
  rmSync(release, { recursive: true, force: true });
  renameSync(unfinished, release);
  console.log(`made release/, by ${toolVersions().join(', ')}`);
}

function describeContents(date) {
  const single = join(unfinished, `purser-${process.platform}-${process.arch}`);
  const { node, packages, licences } = contentsOf(single);
  writeFileSync(join(unfinished, `purser-${version}-licences.txt`), licences);
  const asked = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
  const document = JSON.parse(
    execFileSync('npm', asked, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 }),
  );
  const bill = sbomOf({ document, packages, node, version, date });
  writeFileSync(join(unfinished, `purser-${version}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`);
}

function writeSums() {
  const lines = readdirSync(unfinished)
    .sort()
    .map((name) => {
      const sum = createHash('sha256')
        .update(readFileSync(join(unfinished, name)))
        .digest('hex');
      return `${sum}  ${name}\n`;
    });
  writeFileSync(join(unfinished, 'SHA256SUMS'), lines.join(''));
}

/** The versions of the tools by which the bytes can differ. */
function toolVersions() {
  const tools = ['npm', 'dpkg-deb', 'strip'].map((tool) => {
    const { stdout } = spawnSync(tool, ['--version'], { encoding: 'utf8' });
    return `${tool} ${/\d+(?:\.\d+)+/.exec(stdout ?? '')?.[0] ?? 'unknown'}`;
  });
  return [`Node ${process.versions.node}`, ...tools];
}
