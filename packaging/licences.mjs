/** The licences of the packages that the shipped program has inside. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const LICENCE = /^(licen[cs]e|copying|notice)(\.|-|$)/i;
/** Licences of what is inside of a package's binaries, below its folder. */
const IN_BINARIES = {
  lmdb: [
    'dependencies/lmdb/libraries/liblmdb/COPYRIGHT',
    'dependencies/lmdb/libraries/liblmdb/LICENSE',
    'dependencies/lz4/lib/LICENSE',
  ],
};

/** `inputs` are the files that the program is made of, relative to `root`. */
export function licencesOf(root, inputs) {
  const folders = new Set(inputs.flatMap((file) => packageOf(file) ?? []));
  const texts = [...folders].sort().map((folder) => {
    const own = inputs.filter((file) => packageOf(file) === folder);
    return licenceIn(
      join(root, folder),
      own.map((file) => basename(file)),
    );
  });
  return `The program has these packages inside, each under its own licence.\n\n${texts.join('\n')}`;
}

function packageOf(file) {
  return /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
}

/**
 * The licences of a package. `names` are those of its files that are inside. Files that were bundled before have a file
 * with the licences of others.
 */
function licenceIn(folder, names) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder)
    .filter((file) => LICENCE.test(file) || names.some((name) => file === `${name}.LICENSE.txt`))
    .sort();
  files.push(...(IN_BINARIES[name] ?? []));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return `---- ${name} ${version}: ${license}\n\n${texts.join('\n\n')}\n`;
}
