/**
 * The input of a command: a file, or standard input for `-`. Every failure to read is a `CommandFailure` that names the
 * file: an upload reads through a generator of its own, so a broken connection is not mistaken for it.
 */
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { withoutMark } from '../../shared/text-reader.ts';
import { CommandFailure, fileTrouble } from '../terminal/failure.ts';

export interface ItemSource {
  /** Fails with `CommandFailure`. */
  readonly stream: Readable;
  /** Undefined when it isn't known beforehand, as for a pipe. */
  readonly sizeBytes: number | undefined;
  readonly readBytes: () => number;
  /** Lets go of the file, also when the upload never came to reading it. */
  readonly close: () => void;
}

/** `file` is a path, or `-`. Throws `CommandFailure` when there is nothing to read; `empty` says what that means. */
export async function openItemSource(
  file: string,
  stdin: Readable,
  empty = 'there is nothing to add',
): Promise<ItemSource> {
  if (file === '-') return itemSource(stdin, 'standard input', undefined);
  const handle = await openFile(file);
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new CommandFailure(`cannot read ${file}: it is a folder`);
    if (!stat.isFile()) return itemSource(handle.createReadStream(), file, undefined);
    if (stat.size === 0) throw new CommandFailure(`${file} is empty: ${empty}`);
    // A file that grows meanwhile is sent as long as it was.
    return itemSource(handle.createReadStream({ end: stat.size - 1 }), file, stat.size);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** All of a small file. */
export async function readText(file: string, stdin: Readable): Promise<string> {
  try {
    return withoutMark(file === '-' ? await text(stdin) : await readFile(file, 'utf8'));
  } catch (error) {
    throw cannotRead(file, error);
  }
}

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r');
  } catch (error) {
    throw cannotRead(file, error);
  }
}

function itemSource(
  origin: Readable & { readonly bytesRead?: number },
  name: string,
  sizeBytes: number | undefined,
): ItemSource {
  const stream = Readable.from(chunksOf(origin, name), { objectMode: false });
  return { stream, sizeBytes, readBytes: () => origin.bytesRead ?? 0, close: () => origin.destroy() };
}

async function* chunksOf(origin: Readable, name: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of origin) yield chunk;
  } catch (error) {
    throw cannotRead(name, error);
  }
}

function cannotRead(name: string, error: unknown): CommandFailure {
  return new CommandFailure(`cannot read ${name}: ${fileTrouble(error)}`, { cause: error });
}
