/**
 * A part of what is measured of the store, which has a process of its own: so its memory is its own, and what it reads
 * first is read as on a node that just started.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export type StorePart =
  | 'fold-orders'
  | 'read-orders'
  | 'write-keys'
  | 'ask-keys'
  | 'write-accounts'
  | 'load-accounts'
  | 'catalogs';

/** What it says of itself. Rejects when it fails. Its process ends with this one. */
export async function measurePart(part: StorePart, folder: string, count: number): Promise<string> {
  const program = fileURLToPath(new URL(`./part-process${import.meta.filename.slice(-3)}`, import.meta.url));
  const child = spawn(process.execPath, ['--enable-source-maps', program, part, folder, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const killWithParent = () => child.kill('SIGKILL');
  process.once('exit', killWithParent);
  try {
    const [said, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    if (code !== 0) throw new Error(`${part} ended with ${code ?? signal}`);
    return said;
  } finally {
    process.off('exit', killWithParent);
  }
}
