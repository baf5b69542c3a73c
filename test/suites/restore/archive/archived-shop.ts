/** What tests of archives do with a node: archive now, wait for its end, and look at the folder. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { openArchive } from '../../../../src/archive/open-archive.ts';
import { logExtents } from '../../../../src/persistence/journal/open-log.ts';
import { verifyDataFolder } from '../../../../src/persistence/verify.ts';
import { eventually } from '../../../support/eventually.ts';
import { type OperatorClient, ok } from '../../../support/operator-client.ts';

export interface Archiving {
  readonly operator: OperatorClient;
}

export interface Row {
  readonly archiveId: string;
  readonly state: 'running' | 'complete' | 'failed';
  readonly position: { readonly seq: number; readonly hash: string } | null;
  readonly facts: number;
  readonly bytes: number;
  readonly held?: string;
  readonly error?: string;
}

export interface Archives {
  readonly archives: readonly Row[];
  readonly baseline: {
    readonly seq: number;
    readonly hash: string;
    readonly state: string;
    readonly archive: string;
  } | null;
}

/** Eight codes of product 1 at 1 USDT, and an account with 100 USDT, whose key it gives. */
export async function sellCodes({ operator }: Archiving): Promise<string> {
  await ok(operator.createProduct({ name: 'Code', type: 'standard', priceUsdt: 1 }));
  await ok(operator.addStock(1, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']));
  await ok(operator.createAccount({ name: 'a buyer', rateLimitPerMinute: null }));
  await ok(operator.credit(1, 100, 'deposit'));
  return (await ok(operator.issueKey(1))).apiKey ?? '';
}

export async function archivesOf({ operator }: Archiving): Promise<Archives> {
  const answer = await operator.json('GET', '/archives');
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text) as Archives;
}

/** Archives all that the node has, but what it records from now on. */
export async function archiveNow(node: Archiving, target: string): Promise<Row> {
  const begun = await node.operator.json('POST', '/archives', { before: Date.now(), target, reason: 'test' });
  assert.equal(begun.status, 202, begun.text);
  const { archiveId } = JSON.parse(begun.text) as Row;
  let ended: Row | undefined;
  await eventually('the archive has ended', async () => {
    const { archives } = await archivesOf(node);
    ended = archives.find((row) => row.archiveId === archiveId && row.state !== 'running');
    return ended !== undefined;
  });
  return ended ?? assert.fail();
}

/** The first fact of each file of a folder's journal. */
export function journalFiles(folder: string): number[] {
  return logExtents(folder).map(({ firstSequence }) => firstSequence);
}

/** Lock files of the database that are left without their file. */
export function strayLocks(folder: string): string[] {
  const names = readdirSync(folder);
  return names.filter(
    (name) => name.endsWith('.mdb-lock') && !names.includes(name.slice(0, -'-lock'.length)),
  );
}

export function baselinesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => /^baseline-\d{16}\.mdb$/.test(name));
}

export interface Verified {
  readonly isSound: boolean;
  readonly text: string;
}

/** What `purser verify` says, with `--archive` when there is one. */
export async function verified(folder: string, target?: string): Promise<Verified> {
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const opened =
    target === undefined ? undefined : openArchive({ folder, target, env: {}, onTrouble: () => {} });
  const archive = opened && {
    url: opened.url,
    frames: (through: number) => opened.store().frames(through),
  };
  const isSound = await verifyDataFolder(folder, print, undefined, { archive });
  await opened?.close();
  return { isSound, text: lines.join('\n') };
}

/** Gives what it says. */
export async function expectSound(folder: string, target?: string): Promise<string> {
  const { isSound, text } = await verified(folder, target);
  assert.ok(isSound, text);
  return text;
}
