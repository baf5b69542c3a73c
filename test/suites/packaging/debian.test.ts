/**
 * The package for Debian: always the same bytes, files where they belong, and what the program prints. Where there is a
 * debootstrap, and for root, it is installed, used, upgraded and purged in a Debian of its own.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { PURSER_VERSION } from '../../../src/version.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { debIn, singleFileIn } from './shipped.ts';

const NEEDED = ['dpkg-deb', 'strip', 'objdump'];
const missing = NEEDED.find((tool) => spawnSync(tool, ['--version']).error !== undefined);
const skip = missing === undefined ? false : `there is no ${missing}`;

/** All that is in the package is below these. */
const PLACES = [
  'etc/purser/purser.json',
  'usr/bin/purser',
  'usr/lib/purser/',
  'usr/lib/systemd/system/purser.service',
  'usr/share/doc/purser/',
  'usr/share/lintian/overrides/purser',
  'usr/share/purser/environment',
];
let folder: TemporaryFolder;
let made: string;

function unpacked(...path: string[]): string {
  return join(folder.path, 'unpacked', ...path);
}

/** The output of the program in the package. */
function printed(...args: string[]): string {
  const bin = unpacked('usr', 'lib', 'purser', 'bin');
  return execFileSync(join(bin, 'node'), [join(bin, 'purser.cjs'), ...args], { encoding: 'utf8' });
}

describe('the package for Debian', { skip, timeout: 600_000 }, () => {
  before(async () => {
    folder = await createTemporaryFolder('deb');
    made = await debIn(join(folder.path, 'first'));
    execFileSync('dpkg-deb', ['--raw-extract', made, unpacked()]);
  });

  after(() => folder.remove());

  it('is made of the same bytes again, whoever makes it', async (context) => {
    context.after(() => delete process.env.DEBEMAIL);
    process.env.DEBEMAIL = 'somebody@example.com';
    const sums = [made, await debIn(join(folder.path, 'second'))].map((file) =>
      createHash('sha256').update(readFileSync(file)).digest('hex'),
    );
    assert.equal(sums[0], sums[1]);
  });

  it('has its files where they belong; they are of root, and nobody else writes to them', () => {
    const lines = execFileSync('dpkg-deb', ['--contents', made], { encoding: 'utf8' }).trim().split('\n');
    const paths = lines.map((line) => {
      const [, path = ''] =
        /^[-d]rw.r-.r-. root\/root +\d+ \S+ \S+ \.\/(.*)$/.exec(line) ?? assert.fail(line);
      return path;
    });
    for (const path of paths.filter((each) => !each.endsWith('/') && each !== ''))
      assert.ok(
        PLACES.some((place) => path === place || (place.endsWith('/') && path.startsWith(place))),
        path,
      );
    for (const place of [...PLACES, 'usr/lib/purser/bin/node', 'usr/lib/purser/dist/program/program.js'])
      assert.ok(paths.includes(place), place);
  });

  it('says what it is, what it needs, and which file is the settings', () => {
    const control = readFileSync(unpacked('DEBIAN', 'control'), 'utf8');
    assert.match(control, new RegExp(`^Version: ${PURSER_VERSION}$`, 'm'));
    assert.match(control, /^Depends: adduser, libc6 \(>= 2\.\d+\), libgcc-s1, libstdc\+\+6$/m);
    assert.equal(readFileSync(unpacked('DEBIAN', 'conffiles'), 'utf8'), '/etc/purser/purser.json\n');
    const sums = spawnSync('md5sum', ['--check', '--quiet', join('DEBIAN', 'md5sums')], {
      cwd: unpacked(),
      encoding: 'utf8',
    });
    assert.equal(sums.status, 0, sums.stdout);
  });

  it('has the unit that its program makes', () => {
    const settings = ['--exec', '/usr/bin/purser', '--config', '/etc/purser/purser.json'];
    const unit = readFileSync(unpacked('usr/lib/systemd/system/purser.service'), 'utf8');
    assert.equal(unit, printed('install-service', '--print', '--root', unpacked(), ...settings));
    assert.match(unit, /^ExecStart=\/usr\/bin\/purser serve --config \/etc\/purser\/purser\.json$/m);
    assert.match(unit, /^StateDirectory=purser$/m);
  });

  it('is installed, sells, is upgraded, removed and purged in a Debian without Node, and the shop stays', (context) => {
    if (process.getuid?.() !== 0) return context.skip('only root installs it');
    if (spawnSync('debootstrap', ['--version']).error !== undefined)
      return context.skip('there is no debootstrap');
    const script = join(import.meta.dirname, 'installed-debian.js');
    const args = ['--mount', process.execPath, script, made, singleFileIn(join(folder.path, 'single'))];
    const { status, stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8' });
    assert.equal(status, 0, `${stdout}${stderr}`);
  });
});
