/** The disk use of a data folder's files: allocated blocks, which a file with holes has fewer of than bytes. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface DiskUse {
  /** A file, or all files of one kind. */
  readonly file: string;
  readonly bytes: number;
}

const BLOCK_BYTES = 512;

/** Largest first. Empty when there is no such folder. */
export function diskUse(folder: string): DiskUse[] {
  const bytesOf = new Map<string, number>();
  for (const path of filesIn(folder)) {
    const file = kindOf(path);
    const { blocks } = statSync(join(folder, path));
    bytesOf.set(file, (bytesOf.get(file) ?? 0) + blocks * BLOCK_BYTES);
  }
  return [...bytesOf]
    .map(([file, bytes]) => ({ file, bytes }))
    .toSorted((one, other) => other.bytes - one.bytes);
}

function filesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
  } catch {
    return [];
  }
}

/** Segments of the journal are one kind, run files are, and so is what is in a folder. */
function kindOf(path: string): string {
  const [first = path, ...rest] = path.split('/');
  const kind = first.replace(/^journal-.*/, 'journal').replace(/^stock-\d+\.run$/, 'stock runs');
  return rest.length > 0 ? `${first}/` : kind;
}
