/**
 * The small data folders of `test/suites/packaging/formats/`, one of each version since 13, as a node of that version left it, in `data/`,
 * and in `answers.json` what it answered. They are never written again once that version is out.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { loadConfig } from '../../../../src/config/config.ts';
import { PurserNode } from '../../../../src/node.ts';
import { BuyerClient, type BuyerReply } from '../../../support/buyer-client.ts';
import { OperatorClient, type OperatorReply } from '../../../support/operator-client.ts';
import { repositoryRoot } from '../../../support/repository-root.ts';

const PLACE = join(repositoryRoot(), 'test', 'suites', 'packaging', 'formats');

const ANSWERS = 'answers.json';

/** A request whose answer must stay the same. */
export interface Question {
  /** A buyer's key; undefined: the owner asks. */
  readonly apiKey?: string;
  readonly path: string;
  /** A purchase that is repeated. */
  readonly idempotencyKey?: string;
  readonly body?: unknown;
}

export interface Answered extends Question {
  readonly status: number;
  /** Without what each answer has of its own. */
  readonly answer: unknown;
}

/** Of the answers: what differs each time, or follows from the position or the time since the start. */
const PASSING = new Set(['requestId', 'position', 'hash', 'soldLastDay']);

/** All versions that are kept. */
export function keptVersions(): number[] {
  return readdirSync(PLACE)
    .filter((name) => name.endsWith('.tgz'))
    .map((name) => Number.parseInt(name, 10));
}

/** Into `place`. Where the data folder is then, and what it answered. */
export function unpack(version: number, place: string) {
  tar('-xzf', join(PLACE, `${version}.tgz`), '-C', place);
  const answered = JSON.parse(readFileSync(join(place, ANSWERS), 'utf8')) as Answered[];
  return { folder: dataIn(place), answered };
}

/** The data folder of `place`, which is there. */
export function pack(version: number, place: string, answered: readonly Answered[]): void {
  writeFileSync(join(place, ANSWERS), `${JSON.stringify(answered, null, 1)}\n`);
  const passing = ['lock.*', '*-lock', 'operator-address', 'unfinished'];
  const excluded = passing.map((name) => `--exclude=${name}`);
  tar(...excluded, '-czf', join(PLACE, `${version}.tgz`), '-C', place, ANSWERS, 'data');
}

export function dataIn(place: string): string {
  return join(place, 'data');
}

function tar(...args: string[]): void {
  const { status, error, stderr } = spawnSync('tar', args, { encoding: 'utf8' });
  assert.equal(status, 0, String(error ?? stderr));
}

/** A node whose webhooks and suppliers are on this machine, or not there. */
export function startNode(folder: string): Promise<PurserNode> {
  const flags = {
    data: folder,
    port: '0',
    operatorPort: '0',
    transport: 'node',
    webhookAllow: '127.0.0.0/8',
  };
  return PurserNode.start({
    config: loadConfig(flags, {}, () => ''),
    log: pino({ level: 'silent' }),
    onFatal: (error) => assert.fail(error as Error),
    segmentBytes: 16 * 1024,
  });
}

/** Asks all of it, one after the other. */
export async function ask(node: PurserNode, questions: readonly Question[]): Promise<Answered[]> {
  const operator = new OperatorClient(node.operatorUrl, node.operatorToken);
  const buyers = new BuyerClient(node.buyerUrl);
  const answered: Answered[] = [];
  for (const question of questions) {
    const { status, text, body } = await answerTo(question, operator, buyers);
    const isJson = Object.keys(body).length > 0;
    answered.push({ ...question, status, answer: isJson ? lasting(body) : text });
  }
  buyers.close();
  return answered;
}

function answerTo(
  { apiKey, path, idempotencyKey, body }: Question,
  operator: OperatorClient,
  buyers: BuyerClient,
): Promise<OperatorReply | BuyerReply> {
  if (apiKey === undefined) return operator.json('GET', path);
  if (idempotencyKey === undefined) return buyers.raw('GET', path, { 'x-api-key': apiKey });
  return buyers.purchase(apiKey, idempotencyKey, body as Parameters<BuyerClient['purchase']>[2]);
}

function lasting(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lasting);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => !PASSING.has(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, lasting(field)]));
}
