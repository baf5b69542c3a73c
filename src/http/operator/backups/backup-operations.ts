/** Descriptions of the routes of backups. */
import { answerSchema } from '../../schemas/envelope.ts';
import type { JsonSchema } from '../../schemas/json-schema.ts';
import { answer, listOf, type OperatorOperation, rowSchema, said, TIME } from '../operator-operation.ts';

const BACKUP_ID = { type: 'string', description: 'Of the backup.' } as const;
const POSITION: JsonSchema = {
  type: 'object',
  nullable: true,
  description:
    'The last fact that is there: its number, and the SHA-256 of its frame. Null while that is not known.',
  required: ['seq', 'hash'],
  properties: { seq: { type: 'integer' }, hash: { type: 'string' } },
};

const BACKUP = rowSchema('Backup', 'A single backup.', {
  required: {
    backupId: BACKUP_ID,
    target: { type: 'string' },
    state: { type: 'string', enum: ['running', 'complete', 'failed'] },
    position: POSITION,
    bytes: { type: 'integer', description: 'Of all its objects that are there.' },
    at: said(TIME, 'When it began; when it ended, once it has. Unix milliseconds.'),
  },
  optional: { error: { type: 'string', description: 'Why it failed.' } },
});

const DRILL: JsonSchema = {
  type: 'object',
  nullable: true,
  description: 'The last drill; null before the first one.',
  required: ['ok', 'at', 'position'],
  properties: {
    ok: { type: 'boolean', description: 'Whether the backup could be restored, and is what this node was.' },
    at: said(TIME, 'When it ended. Unix milliseconds.'),
    position: POSITION,
    error: { type: 'string', description: 'Why it failed, in one sentence.' },
  },
};

const BEGUN = answerSchema('BackupBegun', 'The backup has begun.', { backupId: BACKUP_ID });
const BACKUPS = answerSchema('Backups', 'Backups since the node started.', {
  backups: listOf(BACKUP, 'The newest first, at most 100.'),
});
const STATUS = answerSchema('BackupStatus', 'How the continuous backup is.', {
  target: { type: 'string', nullable: true, description: 'What `--backup` says; null without.' },
  lagSeconds: {
    type: 'integer',
    nullable: true,
    description: 'For how long the oldest fact that is missing there has been missing; 0 when none is.',
  },
  position: POSITION,
  drill: DRILL,
  drilling: { type: 'boolean', description: 'A drill is under way.' },
  fenced: { type: 'boolean', description: 'Another node ships to the target, so this one has stopped to.' },
  error: {
    type: 'string',
    nullable: true,
    description: 'What is wrong, or what the drill under way waits for, in one sentence.',
  },
});

const DRILL_BEGUN = answerSchema('DrillBegun', 'A drill is under way.', { drill: DRILL });

export const BEGIN_DRILL: OperatorOperation = {
  operationId: 'beginDrill',
  tag: 'Node',
  summary: 'Restore the continuous backup in a drill',
  description:
    'A process of low priority restores it, proves the result, compares it with this node, and removes it. GET /backups/status has `drilling` until it has ended, and then its result in `drill`. While one is under way, the call begins none.',
  answers: [answer(202, DRILL_BEGUN)],
  errors: [],
};

export const BEGIN_BACKUP: OperatorOperation = {
  operationId: 'beginBackup',
  tag: 'Node',
  summary: 'Back the shop up, once',
  description:
    'It goes on behind the traffic: GET /backups says how far it is. The same target again: it goes on where the last one ended. One at a time.',
  answers: [answer(202, BEGUN)],
  errors: ['NOT_READY'],
};

export const LIST_BACKUPS: OperatorOperation = {
  operationId: 'listBackups',
  tag: 'Node',
  summary: 'List the backups since the node started',
  answers: [answer(200, BACKUPS)],
  errors: [],
};

export const GET_BACKUP_STATUS: OperatorOperation = {
  operationId: 'getBackupStatus',
  tag: 'Node',
  summary: 'Read how the continuous backup is',
  answers: [answer(200, STATUS)],
  errors: [],
};
