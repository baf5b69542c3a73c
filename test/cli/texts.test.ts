/** Help: what the program reads of its environment, and texts from outside that are printed. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { isWritten, printLines } from '../../src/cli/terminal/terminal.ts';
import { OPTIONS } from '../../src/config/options.ts';
import { FOREIGN_VARIABLES, OWN_VARIABLES } from '../../src/config/variables.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { purser } from './fake-operator.ts';

/** Read by libraries and by Node itself, so that no name of them is in the source as something that is read. */
const READ_BY_OTHERS = ['PGPASSWORD', 'PGPASSFILE', 'NODE_EXTRA_CA_CERTS', 'TMPDIR'];
/** Handed on to a program, or looked at by the doctor: nobody sets them for Purser. */
const NO_SETTINGS = ['PATH', 'LD_PRELOAD'];
const READ =
  /\benv(?:ironment)?\.([A-Z][A-Z0-9_]+)|\benv(?:ironment)?, '([A-Z][A-Z0-9_]+)'|const \{([A-Z0-9_, ]+)\} = env\b/g;

function readVariables(): Set<string> {
  const read = new Set<string>(Object.values(OPTIONS).map(({ env }) => env));
  for (const folder of ['src', 'bin']) {
    const root = join(repositoryRoot(), folder);
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(ts|cjs)$/.test(name)) continue;
      for (const [, dotted, named, several = ''] of readFileSync(join(root, name), 'utf8').matchAll(READ)) {
        for (const found of [dotted, named, ...several.split(',')]) if (found?.trim()) read.add(found.trim());
      }
    }
  }
  return read;
}

async function printed(line: string): Promise<string> {
  const { exitCode, stdout, stderr } = await purser(line.split(' '));
  assert.equal(exitCode, 0, stderr);
  return stdout;
}

describe('what came from outside', () => {
  const name = 'a\u009b31m\u001b]0;x\u0007\u202eb';
  const written = (isTTY: boolean) => {
    const chunks: string[] = [];
    const stream = Object.assign(new PassThrough(), { isTTY });
    stream.on('data', (chunk) => chunks.push(String(chunk)));
    printLines(stream, [name, JSON.stringify({ name })]);
    void isWritten(stream, Buffer.from(`${name},\n`));
    return chunks.join('');
  };

  it('cannot drive a terminal, by whatever it is printed; a pipe gets the bytes', () => {
    const [plain = '', json = '', bytes = ''] = written(true).split('\n');
    for (const line of [plain, json, bytes]) assert.ok(!hasControls(line), JSON.stringify(line));
    assert.equal(JSON.parse(json).name, name);
    assert.ok(written(false).startsWith(`${name}\n`));
  });
});

function hasControls(text: string): boolean {
  return /\p{Cc}|\p{Bidi_Control}/u.test(text);
}

describe('--help', () => {
  it('names every variable that the source reads, and no other one', async () => {
    const read = readVariables();
    assert.ok(read.has('PURSER_MASTER_KEY') && read.size > 45, 'the source is read');
    for (const command of ['--help', 'serve --help', 'doctor --help']) {
      const text = await printed(command);
      for (const name of read)
        assert.ok(
          NO_SETTINGS.includes(name) || new RegExp(`\\b${name}\\b`).test(text),
          `${command}: ${name}`,
        );
    }
    for (const { name } of [...OWN_VARIABLES, ...FOREIGN_VARIABLES])
      assert.ok(read.has(name) || READ_BY_OTHERS.includes(name), name);
  });
});
