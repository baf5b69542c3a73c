/** The memory of a process, as the operating system tells it. Linux only; elsewhere nothing is known. */
import { readFile } from 'node:fs/promises';

/** Memory that is the process's own, without mapped files, in bytes. */
export async function anonymousBytes(pid: number): Promise<number | undefined> {
  return (await memoryUse(pid))?.anonymousBytes;
}

/** The same of this process, for a table's cell. */
export async function ownMebibytes(): Promise<string> {
  const bytes = await anonymousBytes(process.pid);
  return bytes === undefined ? '–' : String(Math.round(bytes / 1024 ** 2));
}

export interface MemoryUse {
  readonly anonymousBytes: number;
  /** Mapped files: pages that the system takes back when it needs room. */
  readonly fileBytes: number;
  readonly residentBytes: number;
  /** The most that `residentBytes` has been since the process started. */
  readonly mostResidentBytes: number;
}

export async function memoryUse(pid: number): Promise<MemoryUse | undefined> {
  const status = await readStatus(pid);
  if (status === undefined) return undefined;
  const bytesOf = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024;
  const use = {
    anonymousBytes: bytesOf('RssAnon'),
    fileBytes: bytesOf('RssFile'),
    residentBytes: bytesOf('VmRSS'),
    mostResidentBytes: bytesOf('VmHWM'),
  };
  return Number.isNaN(use.residentBytes) ? undefined : use;
}

async function readStatus(pid: number): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${pid}/status`, 'utf8');
  } catch {
    return undefined;
  }
}
