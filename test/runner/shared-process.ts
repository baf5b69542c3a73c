/**
 * The test files that may run in one process, one after the other: to start a process, to load what a file imports, and
 * to run it until V8 has compiled it takes longer than most files' tests.
 *
 * A pure file imports nothing, directly or not, that starts a process or a thread, opens LMDB, or uses the network or
 * V8's flags. A busy one may do all that, as it closes again what it opened; it may start processes only through what
 * the tests share, and as a node does. None of them changes anything that others see. All this is read off the compiled
 * files, so that a new test needs no entry in a list.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** `node:net` is all right below src/, where it says what an address is. */
const SEPARATING_IMPORT =
  /^(node:(child_process|worker_threads|tls|https?|http2|dgram|dns|dns\/promises|v8)|lmdb|undici|playwright-core)$/;
const IMPORT = /^(?:import|export)\s[^;]*?from\s*["']([^"']+)["']|\bimport\(["']([^"']+)["']\)/gm;
/** The starters of processes that leave none behind. */
const SHARED_STARTERS = [
  'support/nodes/purser-process.js',
  'support/nodes/purser-command.js',
  'support/servers/dns-server.js',
  'support/small-disk.js',
  'cli/fake-operator.js',
  '../src/restore/drill/node-drill.js',
];
/** A browser is many processes, and who drives one watches over its own. */
const STARTING_IMPORT = /^(node:(child_process|v8|dgram)|playwright-core)$/;
/** Hooks outside a suite would be every file's; mocks, the environment and a measured memory are the process's. */
const SEPARATING_TEXT =
  /^(before|after|beforeEach|afterEach)\(|^import \{[^}]*\bmock\b[^}]*\} from ["']node:test|process\.env\.\w+ = |process\.chdir|memoryUsage|process\.resourceUsage|syncBuiltinESMExports|globalThis\.|\/proc\/self|process\.on\(/m;

/** So many are enough, and no one takes much longer than the others. */
const PROCESSES = { pure: 2, busy: 4 } as const;

/** The findings in a compiled file. */
interface Read {
  readonly imports: readonly string[];
  readonly isSeparating: boolean;
}

class SharedProcesses {
  readonly #root: string;
  readonly #known = new Map<string, Read>();

  /** `root`: the compiled tests. */
  constructor(root: string) {
    this.#root = root;
  }

  /** Undefined when it needs a process of its own. */
  kindOf(file: string): 'pure' | 'busy' | undefined {
    if (this.#every(file, new Set(), (name, isTest) => isPure(name, isTest))) return 'pure';
    const starters = new Set(SHARED_STARTERS.map((name) => join(this.#root, name)));
    return this.#every(file, starters, (name) => !STARTING_IMPORT.test(name)) ? 'busy' : undefined;
  }

  /** Whether a file and what it imports, directly or not, may share: but for those that were `seen`. */
  #every(file: string, seen: Set<string>, isFit: (name: string, isTest: boolean) => boolean): boolean {
    if (seen.has(file)) return true;
    seen.add(file);
    const isTest = !relative(this.#root, file).startsWith('..');
    const { imports, isSeparating } = this.#read(file);
    if (isTest && isSeparating) return false;
    return imports.every((name) =>
      name.startsWith('.') ? this.#every(resolve(dirname(file), name), seen, isFit) : isFit(name, isTest),
    );
  }

  #read(file: string): Read {
    const known = this.#known.get(file);
    if (known !== undefined) return known;
    const text = file.endsWith('.js') ? readFileSync(file, 'utf8') : '';
    const imports = [...text.matchAll(IMPORT)].map(([, first, second]) => first ?? second ?? '');
    // LMDB is loaded by `createRequire`.
    if (/\bcreateRequire\(/.test(text)) imports.push('lmdb');
    const read = { imports, isSeparating: SEPARATING_TEXT.test(text) };
    this.#known.set(file, read);
    return read;
  }
}

function isPure(name: string, isTest: boolean): boolean {
  return !SEPARATING_IMPORT.test(name) && !(isTest && name === 'node:net');
}

export interface SharedProcess {
  readonly name: string;
  readonly files: readonly string[];
}

/** The processes that some of `files` share: compiled files, below `root`. The others need processes of their own. */
export function sharedProcesses(root: string, files: readonly string[]): SharedProcess[] {
  const shared = new SharedProcesses(root);
  const kinds = { pure: [] as string[], busy: [] as string[] };
  for (const file of files) {
    const kind = shared.kindOf(file);
    if (kind !== undefined) kinds[kind].push(file);
  }
  return (['pure', 'busy'] as const).flatMap((kind) => {
    const groups: string[][] = Array.from({ length: PROCESSES[kind] }, () => []);
    for (const [index, file] of kinds[kind].entries()) groups[index % PROCESSES[kind]]?.push(file);
    return groups.map((group, index) => ({ name: `shared-${kind}-${index + 1}`, files: group }));
  });
}

/** Imports each file that its arguments name; the tests of all of them run in that order. */
if (process.argv[1] === join(import.meta.dirname, 'shared-process.js')) {
  for (const file of process.argv.slice(2)) await import(file);
}
