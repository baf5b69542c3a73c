/** What can befall a file: a byte flipped, the end cut off, everything gone. */
import { cpSync, lstatSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Random } from '../../support/random.ts';

export interface Damage {
  /** Below the data folder. */
  readonly file: string;
  readonly kind: 'flipped' | 'cut short' | 'emptied' | 'missing';
  /** The kind in detail. */
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

/** For each file that isn't empty: emptied once, cut short `cuts` times, flipped `flips` times. */
export function planDamage(dataDir: string, random: Random, flips: number, cuts: number): Damage[] {
  return filesBelow(dataDir).flatMap((file) => {
    const content = readFileSync(join(dataDir, file));
    if (content.length === 0) return [];
    return [
      emptied(file),
      ...Array.from({ length: cuts }, () => cutShort(file, random.between(0, content.length - 1))),
      ...Array.from({ length: flips }, () =>
        flipped(file, pickOffset(content, random), random.between(1, 255)),
      ),
    ];
  });
}

/** Each file of the folder, gone. */
export function planLosses(dataDir: string): Damage[] {
  return filesBelow(dataDir).map((file) => ({
    file,
    kind: 'missing',
    what: 'missing',
    apply: (copy) => rmSync(join(copy, file)),
  }));
}

/** So many of them: one of each kind, and others at random. */
export function sampleDamage(all: readonly Damage[], random: Random, count: number): Damage[] {
  const shuffled = random.sample(all, all.length);
  const firsts = shuffled.filter(
    (damage, index) => index === shuffled.findIndex(({ kind }) => kind === damage.kind),
  );
  return [...firsts, ...shuffled.filter((damage) => !firsts.includes(damage))].slice(0, count);
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

function flipped(file: string, offset: number, mask: number): Damage {
  return {
    file,
    kind: 'flipped',
    what: `byte ${offset} xor ${mask}`,
    apply: (dataDir) => {
      const path = join(dataDir, file);
      const content = readFileSync(path);
      content[offset] = (content[offset] ?? 0) ^ mask;
      writeFileSync(path, content);
    },
  };
}

function cutShort(file: string, length: number): Damage {
  return {
    file,
    kind: 'cut short',
    what: `cut to ${length} bytes`,
    apply: (dataDir) => truncateSync(join(dataDir, file), length),
  };
}

function emptied(file: string): Damage {
  return {
    file,
    kind: 'emptied',
    what: 'emptied',
    apply: (dataDir) => truncateSync(join(dataDir, file), 0),
  };
}
