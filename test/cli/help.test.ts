/** The help names what the program reads of its environment, and nothing else. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
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

async function help(...command: string[]): Promise<string> {
  const { exitCode, stdout } = await purser([...command, '--help']);
  assert.equal(exitCode, 0);
  return stdout;
}

function namedIn(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(text);
}

describe('--help', () => {
  it('names every variable that the source reads', async () => {
    const text = await help();
    const read = readVariables();
    assert.ok(
      read.has('PURSER_MASTER_KEY') && read.has('AWS_ACCESS_KEY_ID') && read.size > 45,
      'the source is read',
    );
    for (const name of [...read, ...READ_BY_OTHERS]) {
      if (!NO_SETTINGS.includes(name)) assert.ok(namedIn(text, name), name);
    }
  });

  it('names no other one', () => {
    const read = readVariables();
    for (const { name } of [...OWN_VARIABLES, ...FOREIGN_VARIABLES]) {
      assert.ok(read.has(name) || READ_BY_OTHERS.includes(name), name);
    }
  });

  it('of the commands that take the settings of a node names them, too', async () => {
    for (const command of ['serve', 'doctor']) {
      const text = await help(command);
      for (const name of readVariables()) {
        if (!NO_SETTINGS.includes(name)) assert.ok(namedIn(text, name), `${command}: ${name}`);
      }
    }
  });
});
