/** Damage that can befall a file: a byte flipped, the end cut off, everything gone. */
import { cpSync, lstatSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Random } from '../../../support/random.ts';

export interface Damage {
  /** The file, and how. */
  readonly what: string;
  apply(dataDir: string): void;
}

/** Every file in the folder, as a path below it. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** For each file: missing; and where it isn't empty, emptied, cut short, and flipped `flips` times. */
export function planDamage(dataDir: string, random: Random, flips: number): Damage[] {
  return filesBelow(dataDir).flatMap((file) => {
    const content = readFileSync(join(dataDir, file));
    const done = (how: string, apply: (path: string) => void): Damage => ({
      what: `${file}, ${how}`,
      apply: (copy) => apply(join(copy, file)),
    });
    const missing = done('missing', (path) => rmSync(path));
    if (content.length === 0) return [missing];
    const length = random.between(0, content.length - 1);
    const flipped = Array.from({ length: flips }, () => {
      const [offset, mask] = [pickOffset(content, random), random.between(1, 255)];
      return done(`byte ${offset} xor ${mask}`, (path) => flipByte(path, offset, mask));
    });
    return [
      missing,
      done('emptied', (path) => truncateSync(path, 0)),
      done(`cut to ${length} bytes`, (path) => truncateSync(path, length)),
      ...flipped,
    ];
  });
}

export function flipByte(path: string, offset: number, mask: number): void {
  const content = readFileSync(path);
  content[offset] = (content[offset] ?? 0) ^ mask;
  writeFileSync(path, content);
}

/** Copies a data folder of a server that is gone. A socket it left is no data, and can't be copied. */
export function copyFolder(dataDir: string, target: string): void {
  const isData = (path: string) => lstatSync(path).isFile() || lstatSync(path).isDirectory();
  cpSync(dataDir, target, { recursive: true, preserveTimestamps: true, filter: isData });
}

/** Database files are largely zeros that nobody reads, so most offsets are where something was written. */
function pickOffset(content: Buffer, random: Random): number {
  for (let tries = 0; tries < 1_000 && random.chance(0.999); tries += 1) {
    const offset = random.between(0, content.length - 1);
    if (content[offset] !== 0) return offset;
  }
  return random.between(0, content.length - 1);
}
