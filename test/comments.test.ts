/**
 * Doc comments of `src` begin with the noun that they are about: a sentence that begins with a pronoun or a relative word
 * makes its reader look for what it means.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repositoryRoot } from './support/repository-root.ts';

const ROOT = repositoryRoot();
const DOC_COMMENT = /\/\*\*(.*?)\*\//gs;
/** Sentences begin at the comment's or a paragraph's begin, in a list, and behind a full stop. */
const RIDDLE = /(?:^|\n\s*\n|\n\s*[-*] |[.!?]\s+)(Of|What|Who|It|Those)\b/g;

test('no sentence of a doc comment begins with Of, What, Who, It or Those', () => {
  const found: string[] = [];
  for (const path of readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.ts')) continue;
    const text = readFileSync(join(ROOT, 'src', path), 'utf8');
    for (const comment of text.matchAll(DOC_COMMENT)) {
      const sentences = (comment[1] ?? '').replaceAll(/\n\s*\* ?/g, '\n').trim();
      for (const [riddle] of sentences.matchAll(RIDDLE)) {
        const line = text.slice(0, comment.index).split('\n').length;
        found.push(`src/${path}:${line} has a sentence that begins with ${riddle.trim()}`);
      }
    }
  }
  assert.deepEqual(found, []);
});
