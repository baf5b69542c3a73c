/** What the routes of archives say about themselves. */
import { answerSchema } from '../../schemas/envelope.ts';
import type { JsonSchema } from '../../schemas/json-schema.ts';
import { answer, listOf, type OperatorOperation, rowSchema, said, TIME } from './operator-operation.ts';

const ARCHIVE_ID = { type: 'string', description: 'Of the archive.' } as const;

function positionSchema(description: string): JsonSchema {
  return {
    type: 'object',
    nullable: true,
    description,
    required: ['seq', 'hash'],
    properties: { seq: { type: 'integer' }, hash: { type: 'string' } },
  };
}

const HELD = {
  type: 'string',
  description: 'Why facts stay that are old enough: somebody has still to read them.',
} as const;

const ROW = rowSchema('Archive', 'An archive of the beginning of the journal.', {
  required: {
    archiveId: ARCHIVE_ID,
    target: { type: 'string' },
    before: said(TIME, 'Facts from before this moment were to be moved. Unix milliseconds.'),
    state: { type: 'string', enum: ['running', 'complete', 'failed'] },
    position: positionSchema(
      'The last fact that was moved, and the SHA-256 of its frame. Null while that is not known, and when no file of the journal could be moved.',
    ),
    facts: { type: 'integer', description: 'Number of facts that were moved.' },
    bytes: { type: 'integer', description: 'Of their objects at the target.' },
    at: said(TIME, 'When it began; when it ended, once it has. Unix milliseconds.'),
  },
  optional: { held: HELD, error: { type: 'string', description: 'What it waits for, or why it failed.' } },
});

const BASELINE: JsonSchema = {
  type: 'object',
  nullable: true,
  description: 'Where the journal of this folder begins; null when it has all facts.',
  required: ['seq', 'hash', 'state', 'archive'],
  properties: {
    seq: { type: 'integer', description: 'The last fact that is not here any more.' },
    hash: { type: 'string', description: 'The SHA-256 of its frame.' },
    state: { type: 'string', description: 'The SHA-256 of what the facts up to there came to.' },
    archive: { type: 'string', description: 'Where they were moved to.' },
  },
};

const DAILY: JsonSchema = {
  type: 'object',
  nullable: true,
  description: 'What `--archive-target` and `--archive-after` say; null without them.',
  required: ['target', 'afterSeconds', 'last'],
  properties: {
    target: { type: 'string' },
    afterSeconds: { type: 'integer', description: 'How old facts are when they are moved.' },
    last: {
      type: 'object',
      nullable: true,
      description: 'How the last daily one ended; null before the first.',
      required: ['ok', 'at'],
      properties: { ok: { type: 'boolean' }, at: TIME, held: HELD, error: { type: 'string' } },
    },
  },
};

const BEGUN = answerSchema('ArchiveBegun', 'The archive has begun.', { archiveId: ARCHIVE_ID });
const ARCHIVES = answerSchema('Archives', 'Archives since the node started, and where its journal begins.', {
  archives: listOf(ROW, 'The newest first, at most 100.'),
  baseline: BASELINE,
  daily: DAILY,
});

const HASH = '5d41402abc4b2a76b9719d911017c5925d41402abc4b2a76b9719d911017c592';
const EXAMPLE = {
  archiveId: 'arc_0b9f2d1c6a834e57b1d0c8e2f4a6b8d0',
  target: 's3://archive/shop',
  before: 1_760_000_000_000,
  state: 'complete',
  position: { seq: 5_120_000, hash: HASH },
  facts: 2_560_000,
  bytes: 536_870_912,
  at: 1_790_000_000_000,
};

export const BEGIN_ARCHIVE: OperatorOperation = {
  operationId: 'beginArchive',
  tag: 'Node',
  summary: 'Move old facts out of the data folder',
  description:
    'Files of the journal of which all facts are older than `before` go to the target, are proved there, and are then removed here. The node goes on as ever: orders, keys, balances and texts stay. GET /archives says how far it is. One at a time; one that was broken off goes on.',
  bodies: {
    bucket: { before: '2026-01-01', target: 's3://archive/shop' },
    folder: { before: 1_760_000_000_000, target: '/mnt/archive/shop', reason: 'the disk is nearly full' },
  },
  answers: [answer(202, BEGUN, { begun: { archiveId: EXAMPLE.archiveId } })],
  errors: ['NOT_READY'],
};

export const LIST_ARCHIVES: OperatorOperation = {
  operationId: 'listArchives',
  tag: 'Node',
  summary: 'List the archives since the node started, and where its journal begins',
  answers: [
    answer(200, ARCHIVES, {
      complete: {
        archives: [EXAMPLE],
        baseline: { seq: 5_120_000, hash: HASH, state: HASH, archive: 's3://archive/shop' },
        daily: { target: 's3://archive/shop', afterSeconds: 34_560_000, last: { ok: true, at: EXAMPLE.at } },
      },
      none: { archives: [], baseline: null, daily: null },
    }),
  ],
  errors: [],
};
