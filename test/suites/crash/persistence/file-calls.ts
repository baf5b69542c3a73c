/**
 * Calls of `node:fs` that concern a folder, one after the other: before each of them a test may end the process, or throw
 * what the system would. So every place at which a kill or an error can fall is reached, and none by chance.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const NAMES = [
  'openSync',
  'closeSync',
  'fstatSync',
  'statfsSync',
  'readSync',
  'readFileSync',
  'readdirSync',
  'writeSync',
  'writeFileSync',
  'fsyncSync',
  'fdatasyncSync',
  'renameSync',
  'mkdirSync',
  'rmSync',
] as const;

export interface FileCall {
  readonly name: (typeof NAMES)[number];
  readonly path: string;
  /** It makes, changes or removes something, or makes it durable. */
  readonly writes: boolean;
  /** Of a write: does the first half of it. */
  half(): void;
}

type Call = (...args: unknown[]) => unknown;

const functions = fs as unknown as Record<(typeof NAMES)[number], Call>;

/** Calls `before` before each of them, until the function that it returns is called. */
export function watchFileCalls(folder: string, before: (call: FileCall) => void): () => void {
  const originals = Object.fromEntries(NAMES.map((name) => [name, functions[name]])) as typeof functions;
  const opened = new Map<number, string>();
  for (const name of NAMES) {
    functions[name] = (...args) => {
      const [subject, second] = args;
      const path = typeof subject === 'number' ? opened.get(subject) : String(subject);
      if (path?.startsWith(folder)) {
        const writes = name === 'openSync' ? second !== 'r' : /^(write|f.*sync|rename|mkdir|rm)/.test(name);
        const half = (): void => {
          const [descriptor, bytes, offset, length] = args as [number, Uint8Array | string, number, number];
          if (name === 'writeSync') originals.writeSync(descriptor, bytes, offset, length >>> 1);
          if (name === 'writeFileSync')
            originals.writeFileSync(descriptor, bytes.slice(0, bytes.length >>> 1));
        };
        before({ name, path, writes, half });
      }
      const result = originals[name](...args);
      if (name === 'openSync') opened.set(result as number, String(subject));
      return result;
    };
  }
  syncBuiltinESMExports();
  return () => {
    Object.assign(functions, originals);
    syncBuiltinESMExports();
  };
}

/** An error as the system gives it. */
export function systemError(code: string, { name, path }: FileCall): Error {
  return Object.assign(new Error(`${code}: ${name} '${path}'`), { code, path });
}
