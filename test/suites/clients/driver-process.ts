/** A driver of the table in another language: a process that is given commands and gives replies, a line of JSON each. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Driver, Reply } from '../../client/table/run-case.ts';
import { repositoryRoot } from '../../support/repository-root.ts';

export const ROOT = repositoryRoot();
export const DRIVERS = join(ROOT, 'test', 'suites', 'clients', 'drivers');

export interface Language {
  readonly name: string;
  /** The command that says its version, and how to install it on Debian. */
  readonly version: readonly [string, ...string[]];
  readonly install: string;
}

export const PYTHON: Language = {
  name: 'python',
  version: ['python3', '--version'],
  install: 'apt-get install python3',
};
export const PHP: Language = {
  name: 'php',
  version: ['php', '-r', 'exit(extension_loaded("curl") ? 0 : 1);'],
  install: 'apt-get install php-cli php-curl',
};
export const GO: Language = { name: 'go', version: ['go', 'version'], install: 'apt-get install golang-go' };

export const CURL: Language = {
  name: 'curl',
  version: ['curl', '--version'],
  install: 'apt-get install curl',
};

/** Fails, and names the line that installs it: a language that nobody has tried is not proved. */
export function assertInstalled({ name, version: [command, ...args], install }: Language): void {
  const { error, status } = spawnSync(command, args);
  assert.ok(error === undefined && status === 0, `${name} is not installed: ${install}`);
}

export class DriverProcess implements Driver {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterableIterator<string>;
  readonly #said: string[] = [];

  constructor(command: string, args: readonly string[]) {
    this.#process = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#process.stderr?.on('data', (text: Buffer) => this.#said.push(text.toString()));
    const lines: Interface = createInterface({ input: this.#process.stdout ?? assert.fail() });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  async run(command: Readonly<Record<string, unknown>>): Promise<Reply> {
    this.#process.stdin?.write(`${JSON.stringify(command)}\n`);
    const { value, done } = await this.#lines.next();
    assert.ok(!done, `the driver has ended at ${JSON.stringify(command)}: ${this.#said.join('')}`);
    return JSON.parse(value) as Reply;
  }

  /** It ends when there are no more commands. */
  async end(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    this.#process.stdin?.end();
    await once(this.#process, 'exit');
  }
}
