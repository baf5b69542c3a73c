import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder that holds `package.json`: tests run from a build folder whose name they can't know. */
export function repositoryRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`no package.json above ${import.meta.dirname}`);
    folder = parent;
  }
  return folder;
}

/** The program as an operator starts it. */
export function purserEntry(): string {
  return join(repositoryRoot(), 'bin', 'purser.cjs');
}
