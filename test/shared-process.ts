/**
 * Which test files may run in one process, one after the other: to start a process and to load what a file imports
 * takes longer than most files of pure logic.
 *
 * A file may when nothing that it imports, directly or not, starts a process or a thread, opens LMDB, or uses the
 * network or V8's flags, and when the file itself changes nothing that others see. It is read off the compiled files,
 * so that a new test needs no entry in a list.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** `node:net` is all right below src/, where it says what an address is. */
const SEPARATING_IMPORT =
  /^(node:(child_process|worker_threads|tls|https?|http2|dgram|dns|dns\/promises|v8)|lmdb|undici)$/;
const IMPORT = /^(?:import|export)\s[^;]*?from\s*["']([^"']+)["']|\bimport\(["']([^"']+)["']\)/gm;
/** Hooks outside a suite would be every file's; mocks, the environment and a measured memory are the process's. */
const SEPARATING_TEXT =
  /^(before|after|beforeEach|afterEach)\(|^import \{[^}]*\bmock\b[^}]*\} from ["']node:test|process\.env\.\w+ = |process\.chdir|memoryUsage|process\.resourceUsage/m;

export class SharedProcesses {
  readonly #root: string;
  readonly #imports = new Map<string, readonly string[]>();

  /** `root`: the compiled tests. */
  constructor(root: string) {
    this.#root = root;
  }

  mayShare(file: string): boolean {
    return !SEPARATING_TEXT.test(readFileSync(file, 'utf8')) && this.#isPure(file, new Set());
  }

  #isPure(file: string, seen: Set<string>): boolean {
    if (seen.has(file)) return true;
    seen.add(file);
    const isTest = !relative(this.#root, file).startsWith('..');
    return this.#importsOf(file).every((name) => {
      if (name.startsWith('.')) return this.#isPure(resolve(dirname(file), name), seen);
      return !SEPARATING_IMPORT.test(name) && !(isTest && name === 'node:net');
    });
  }

  #importsOf(file: string): readonly string[] {
    const known = this.#imports.get(file);
    if (known !== undefined) return known;
    const text = file.endsWith('.js') ? readFileSync(file, 'utf8') : '';
    const imports = [...text.matchAll(IMPORT)].map(([, first, second]) => first ?? second ?? '');
    // LMDB is loaded by `createRequire`.
    if (/\bcreateRequire\(/.test(text)) imports.push('lmdb');
    this.#imports.set(file, imports);
    return imports;
  }
}

/** Imports each file that its arguments name; the tests of all of them run in that order. */
if (process.argv[1] === join(import.meta.dirname, 'shared-process.js')) {
  for (const file of process.argv.slice(2)) await import(file);
}
