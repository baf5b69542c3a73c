/**
 * `npm run build:release`: makes `release/` anew, with all that a version is published as: the single file, the packages,
 * what is inside of them (a bill of materials, licences), and the sums of all of it.
 *
 * The same commit gives the same bytes, with the same Node and npm: times inside are those of the release.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifest, packInto, release, root } from './release.mjs';
import { dateOfRelease } from './releasing/changelog.mjs';
import { contentsOf } from './releasing/contents.mjs';
import { sbomOf } from './releasing/sbom.mjs';

const { version } = manifest;
const date = dateOfRelease(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version);
if (date === undefined) {
  console.error(`error: CHANGELOG.md has no release ${version}: npm run release makes one`);
  process.exit(1);
}
const env = { ...process.env, SOURCE_DATE_EPOCH: String(Date.parse(date) / 1_000) };

rmSync(release, { recursive: true, force: true });
for (const script of ['build:single', 'build:deb', 'build:client'])
  execFileSync('npm', ['run', script], { cwd: root, env, stdio: 'inherit' });
// The scripts before have made its files.
console.log(`made release/${packInto(release, root)}`);

const { node, packages, licences } = contentsOf(join(release, `purser-${process.platform}-${process.arch}`));
writeFileSync(join(release, `purser-${version}-licences.txt`), licences);
const asked = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'];
const document = JSON.parse(execFileSync('npm', asked, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 }));
const bill = sbomOf({ document, packages, node, version, date });
writeFileSync(join(release, `purser-${version}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`);

const lines = readdirSync(release)
  .sort()
  .map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(release, name)))
        .digest('hex')}  ${name}\n`,
  );
writeFileSync(join(release, 'SHA256SUMS'), lines.join(''));
console.log(`made release/SHA256SUMS of ${lines.length} files`);
