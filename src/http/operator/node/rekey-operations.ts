/** Descriptions of the routes of the data folder's keys. */
import { answerSchema } from '../../schemas/envelope.ts';
import { answer, type OperatorOperation } from '../operator-operation.ts';
import { MASTER_KEY_FROM, MASTER_KEY_SAVED } from './node-operations.ts';

const MASTER_KEY_ID = {
  type: 'string',
  description: 'Of the master key: it tells keys apart, and is no part of one.',
} as const;

const KEYS = answerSchema(
  'Keys',
  'The master key of the data folder, without the key itself.',
  { masterKeyId: MASTER_KEY_ID, masterKeyFrom: MASTER_KEY_FROM },
  { masterKeySaved: MASTER_KEY_SAVED },
);

const CHANGED = answerSchema('MasterKeyChanged', 'The folder has a new master key.', {
  masterKeyId: MASTER_KEY_ID,
  previousMasterKeyId: { type: 'string' },
  message: { type: 'string', description: 'For people: what the next start needs.' },
});

const SAVED = answerSchema('MasterKeyShown', 'The master key itself. No other answer has it.', {
  masterKeyId: MASTER_KEY_ID,
  masterKey: { type: 'string', description: '32 bytes in base64. Keep it elsewhere than the data folder.' },
});

export const GET_KEYS: OperatorOperation = {
  operationId: 'getKeys',
  tag: 'Node',
  summary: 'Read which master key the data folder has',
  answers: [answer(200, KEYS)],
  errors: [],
};

export const REKEY: OperatorOperation = {
  operationId: 'changeMasterKey',
  tag: 'Node',
  summary: 'Change the master key of the data folder',
  description:
    'With the key file, the node makes the new key and replaces the file. With `PURSER_MASTER_KEY`, `newKey` is required, and the next start needs it. The old key opens the folder no more; backups from before need it.',
  answers: [answer(200, CHANGED)],
  errors: ['NOT_READY'],
};

export const SAVE_MASTER_KEY: OperatorOperation = {
  operationId: 'saveMasterKey',
  tag: 'Node',
  summary: 'Save the master key of the key file elsewhere',
  description:
    'Answers each master key once, after it is in the audit (`MasterKeyShown`). Later calls are 409, also when the answer was lost: then the key file of the data folder has the key, and `POST /rekey` makes another one. So are calls to a node that has its key from `PURSER_MASTER_KEY`.',
  answers: [answer(200, SAVED)],
  errors: ['TRANSITION_NOT_ALLOWED', 'NOT_READY'],
};
