/**
 * A file to which lines are appended, and a small file that is replaced as a whole; for runtimes with files: Node, Deno,
 * Bun.
 *
 * Invariant: a line, or the new content, is on disk when the promise resolves, and a line that a crash cut short never
 * spoils the next.
 */

/** The part of `node:fs/promises` that is used; other runtimes have it as well. */
interface Files {
  open(path: string, flags: string, mode?: number): Promise<OpenFile>;
  readFile(path: string, encoding: 'utf8'): Promise<string>;
  rename(from: string, to: string): Promise<void>;
}

interface OpenFile {
  stat(): Promise<{ readonly size: number }>;
  read(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  appendFile(text: string): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** In a variable, so that bundlers for runtimes without files leave it alone. */
const FILES = 'node:fs/promises';
const LINE_FEED = 0x0a;
/** The files belong to whoever bought. */
const OWNER_ONLY = 0o600;

export class LineFile {
  readonly #path: string;
  #last: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** One line after the other, also of many callers at once. */
  append(line: string): Promise<void> {
    const appended = this.#last.then(() => append(this.#path, line));
    this.#last = appended.catch(() => undefined);
    return appended;
  }

  async lines(): Promise<string[]> {
    return (await textOf(this.#path)).split('\n');
  }
}

/** Empty when the file isn't there. */
export async function textOf(path: string): Promise<string> {
  const files = await theFiles();
  try {
    return await files.readFile(path, 'utf8');
  } catch (error) {
    if ((error as { readonly code?: string }).code === 'ENOENT') return '';
    throw error;
  }
}

/** After a crash the file has the old content or the new one. */
export async function replaceText(path: string, text: string): Promise<void> {
  const files = await theFiles();
  const unfinished = `${path}.unfinished`;
  const file = await files.open(unfinished, 'w', OWNER_ONLY);
  try {
    await file.appendFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await files.rename(unfinished, path);
  await syncFolder(files, path);
}

async function theFiles(): Promise<Files> {
  return (await import(FILES)) as Files;
}

async function append(path: string, line: string): Promise<void> {
  const files = await theFiles();
  const file = await files.open(path, 'a+', OWNER_ONLY);
  try {
    const { size } = await file.stat();
    const isCutShort = size > 0 && (await byteAt(file, size - 1)) !== LINE_FEED;
    await file.appendFile(`${isCutShort ? '\n' : ''}${line}\n`);
    await file.sync();
    if (size === 0) await syncFolder(files, path);
  } finally {
    await file.close();
  }
}

async function byteAt(file: OpenFile, position: number): Promise<number | undefined> {
  const bytes = new Uint8Array(1);
  await file.read(bytes, 0, 1, position);
  return bytes[0];
}

/** So that a new file is found after a power cut. Some systems open no folders: then it is theirs to see to. */
async function syncFolder(files: Files, path: string): Promise<void> {
  const folder = await files.open(path.replace(/[^/\\]*$/, '') || '.', 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}
