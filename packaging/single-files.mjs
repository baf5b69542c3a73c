/**
 * The contents of the single file, laid out as an installation: the package, and beside it those packages that are no
 * part of the program, each with the one binary that fits.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const MODULES = 'node_modules';

/**
 * `files` of `{path, source}`, sorted by the paths that they are to have, and `probe`: the path of a binary that must
 * load wherever the program is to run. `abi` is the one of `node`, the Node that goes with them.
 */
export function singleFiles({ root, node, platform, arch, abi }) {
  const binary = lmdbBinary(root, { platform, arch, abi });
  const files = [
    ...filesBelow(join(root, 'dist', 'program'), join('purser', 'dist', 'program')),
    { path: 'purser/package.json', source: join(root, 'package.json') },
    { path: 'purser/LICENSE', source: join(root, 'LICENSE') },
    ...['purser', 'say'].map((name) => ({
      path: `purser/bin/${name}.cjs`,
      source: join(root, 'bin', `${name}.cjs`),
    })),
    { path: 'purser/bin/forked.cjs', source: join(root, 'packaging', 'single', 'forked.cjs') },
    ...binary.files,
    ...uwsFiles(root, { platform, arch, abi }),
    ...nodeLicence(node),
  ];
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), probe: binary.path };
}

function filesBelow(folder, place) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ path: join(place, name), source: join(folder, name) }))
    .filter(({ source }) => statSync(source).isFile());
}

function lmdbBinary(root, { platform, arch, abi }) {
  const name = join(MODULES, '@lmdb', `lmdb-${platform}-${arch}`);
  const libc = platform === 'linux' ? '.glibc' : '';
  const binary = [`node.abi${abi}${libc}.node`, `node.napi${libc}.node`].find((file) =>
    existsSync(join(root, name, file)),
  );
  if (binary === undefined) throw new Error(`${name} has no binary for this platform`);
  return { path: join(name, binary), files: ['package.json', 'index.js', binary].map(fileIn(root, name)) };
}

/** Where it has no binary for this Node, the file is made without it, and node:http serves. */
function uwsFiles(root, { platform, arch, abi }) {
  const name = join(MODULES, 'uWebSockets.js');
  const binary = `dist/bin/uws_${platform}_${arch}_${abi}.node`;
  if (!existsSync(join(root, name, binary))) {
    console.log(`without uWebSockets.js: ${binary} is not in ${name}`);
    return [];
  }
  return ['package.json', 'LICENSE', 'dist/index.mjs', 'dist/uws.mjs', binary].map(fileIn(root, name));
}

function fileIn(root, folder) {
  return (file) => ({ path: join(folder, file), source: join(root, folder, file) });
}

/** The licence of Node, which lies beside `bin/` wherever Node is installed as a whole. */
function nodeLicence(node) {
  const source = join(node, '..', '..', 'LICENSE');
  return existsSync(source) && /Node\.js/.test(readFileSync(source, 'utf8'))
    ? [{ path: 'purser/NODE-LICENCE.txt', source }]
    : [];
}
