/**
 * The contents of the single file, by its own word: it is started once, unpacks itself, and lies there. So documents
 * about a release are about that release, whatever has become of the checkout.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `{node, packages, licences}`: the version of Node, `{name, version}` of each package, and all their licences. */
export function contentsOf(file) {
  const folder = mkdtempSync(join(tmpdir(), 'purser-contents-'));
  try {
    const env = { PATH: process.env.PATH, XDG_CACHE_HOME: folder };
    const args = ['doctor', '--json', '--data', join(folder, 'data')];
    // Its checks are about this machine, and may fail.
    const { stdout, stderr } = spawnSync(file, args, { env, encoding: 'utf8' });
    const [, node] = /"name":"node",.*?"advice":"Node ([\d.]+)/.exec(stdout) ?? [];
    if (node === undefined) throw new Error(`${file} does not say which Node it has: ${stdout}${stderr}`);
    const place = join(folder, 'purser');
    const unpacked = join(place, readdirSync(place)[0]);
    const modules = join(unpacked, 'node_modules');
    const bundled = readFileSync(join(unpacked, 'purser/dist/program/THIRD-PARTY-LICENCES.txt'), 'utf8');
    const beside = packagesBelow(modules);
    return {
      node,
      packages: [...packagesNamedIn(bundled), ...beside.map(({ name, version }) => ({ name, version }))],
      licences: [bundled, ...beside.map(licenceText), nodeLicence(unpacked, node)].join('\n'),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As packaging/licences.mjs writes it. */
function packagesNamedIn(text) {
  return [...text.matchAll(/^---- (\S+) (\S+): /gm)].map(([, name, version]) => ({ name, version }));
}

function packagesBelow(modules) {
  return readdirSync(modules, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(@[^/]+\/)?[^/]+\/package\.json$/.test(name))
    .sort()
    .map((name) => {
      const folder = join(modules, name, '..');
      return { ...JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), folder };
    });
}

function licenceText({ name, version, license, folder }) {
  const file = join(folder, 'LICENSE');
  const text = existsSync(file) ? `\n${readFileSync(file, 'utf8').trim()}\n` : '';
  return `---- ${name} ${version}: ${license}\n${text}`;
}

function nodeLicence(unpacked, version) {
  const text = readFileSync(join(unpacked, 'purser/NODE-LICENCE.txt'), 'utf8');
  return `---- Node.js ${version}, with what it has inside\n\n${text.trim()}\n`;
}
