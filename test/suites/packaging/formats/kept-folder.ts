/**
 * The small data folders of `test/suites/packaging/formats/`, one of each version since 13, as a node of that version left
 * it, in `data/`, and in `answers.json` what it answered.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../../support/repository-root.ts';

const PLACE = join(repositoryRoot(), 'test', 'suites', 'packaging', 'formats');

/** A request, and its answer, which must stay the same. */
export interface Answered {
  /** A buyer's key; undefined: the owner asks. */
  readonly apiKey?: string;
  readonly path: string;
  /** A purchase that is repeated. */
  readonly idempotencyKey?: string;
  readonly body?: unknown;
  readonly status: number;
  /** Without what each answer has of its own. */
  readonly answer: unknown;
}

/** All versions that are kept, the oldest first. */
export function keptVersions(): number[] {
  return readdirSync(PLACE)
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => Number.parseInt(name, 10))
    .sort((a, b) => a - b);
}

/** Into `place`. Where the data folder is then, and what it answered. */
export function unpack(version: number, place: string) {
  const args = ['-xzf', join(PLACE, `${version}.tgz`), '-C', place];
  const { status, error, stderr } = spawnSync('tar', args, { encoding: 'utf8' });
  assert.equal(status, 0, String(error ?? stderr));
  const answered = JSON.parse(readFileSync(join(place, 'answers.json'), 'utf8')) as Answered[];
  return { folder: join(place, 'data'), answered };
}
