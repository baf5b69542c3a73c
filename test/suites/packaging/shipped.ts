/**
 * The shipped packages, as a test gets them: made from a copy of this checkout with the Node that runs the test, so
 * that nothing is fetched and nobody else's `dist/` changes; or as they lie in the folder that `PURSER_TEST_RELEASE`
 * names.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PURSER_VERSION } from '../../../src/version.ts';
import { repositoryRoot } from '../../support/repository-root.ts';

const ROOT = repositoryRoot();
const GIVEN = process.env.PURSER_TEST_RELEASE;
const SOURCES = [
  ...['package.json', 'tsconfig.json', 'tsconfig.client.json', 'bin', 'packaging', 'src', 'console'],
  ...['examples', 'LICENSE'],
];

/** All that a program is made of, in `folder`. */
export function copyCheckout(folder: string): string {
  for (const name of SOURCES) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Where the single file is, or is made. */
export function singleFileIn(folder: string): string {
  const name = `purser-${process.platform}-${process.arch}`;
  if (GIVEN !== undefined) return resolve(GIVEN, name);
  const script = join(copyCheckout(join(folder, 'checkout')), 'packaging', 'single.mjs');
  execFileSync(process.execPath, [script, '--node', process.execPath, '--into', folder]);
  return join(folder, name);
}

interface DebPackage {
  makeDeb(options: {
    readonly root: string;
    readonly node: string;
    readonly target: string;
    readonly epochSeconds: number;
    readonly compression: string;
  }): string;
}

/** Where the package for Debian is, or is made of the program in `dist/`. */
export async function debIn(folder: string): Promise<string> {
  if (GIVEN !== undefined) return resolve(GIVEN, `purser_${PURSER_VERSION}_amd64.deb`);
  const module = pathToFileURL(join(ROOT, 'packaging', 'deb', 'deb-package.mjs')).href;
  const { makeDeb }: DebPackage = await import(module);
  mkdirSync(folder, { recursive: true });
  const options = { root: ROOT, node: process.execPath, target: folder };
  return makeDeb({ ...options, epochSeconds: 1e9, compression: 'none' });
}
