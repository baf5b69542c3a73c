/** What the routes of the data folder's keys say about themselves. */
import { answerSchema } from '../../schemas/envelope.ts';
import type { JsonSchema } from '../../schemas/json-schema.ts';
import { answer, listOf, type OperatorOperation, rowSchema } from './operator-operation.ts';

const KEY_ID: JsonSchema = {
  type: 'string',
  description: 'Tells master keys apart, and has no part of one.',
};

const SEALING = rowSchema('SealingAnew', 'How far everything is encrypted with the newest data key.', {
  required: {
    state: { type: 'string', enum: ['done', 'running', 'failed'] },
    looked: { type: 'integer', description: 'Rows that were looked at.' },
    total: { type: 'integer', description: 'Rows that there are, about.' },
  },
  optional: { trouble: { type: 'string', description: 'Why it failed.' } },
});

const KEYS = answerSchema('Keys', 'The keys of the data folder.', {
  masterKeyId: KEY_ID,
  masterKeyFrom: { type: 'string', enum: ['file', 'environment'] },
  dataKeyIds: listOf({ type: 'integer' }, 'The last one encrypts; the others still decrypt.'),
  sealingAnew: SEALING,
});

const CHANGED = answerSchema('MasterKeyChanged', 'The master key has changed.', {
  masterKeyId: KEY_ID,
  previousMasterKeyId: KEY_ID,
  message: { type: 'string', description: 'What the next start needs.' },
});

const STATE = { masterKeyId: '3f9c02d1', masterKeyFrom: 'file' } as const;

export const GET_KEYS: OperatorOperation = {
  operationId: 'getKeys',
  tag: 'Node',
  summary: 'Read how the keys are',
  answers: [
    answer(200, KEYS, {
      calm: { ...STATE, dataKeyIds: [1], sealingAnew: { state: 'done', looked: 0, total: 0 } },
    }),
  ],
  errors: [],
};

export const CHANGE_MASTER_KEY: OperatorOperation = {
  operationId: 'changeMasterKey',
  tag: 'Node',
  summary: 'Change the master key',
  description:
    'With a key file, the node makes the new key and replaces the file. With `PURSER_MASTER_KEY`, send the new key, and start with it next time.',
  bodies: {
    ofTheFile: {},
    ofTheEnvironment: { newKey: 'QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=' },
  },
  answers: [
    answer(200, CHANGED, {
      changed: {
        masterKeyId: '8a71e0b4',
        previousMasterKeyId: '3f9c02d1',
        message:
          'The key file has the new key; the old one opens this folder no more. Backups from before need the old one.',
      },
    }),
  ],
  errors: ['NOT_READY'],
};

export const CHANGE_DATA_KEYS: OperatorOperation = {
  operationId: 'changeDataKeys',
  tag: 'Node',
  summary: 'Encrypt everything anew',
  description: 'With a new data key, behind the traffic. `GET /rekey` says how far it is.',
  answers: [
    answer(202, KEYS, {
      begun: { ...STATE, dataKeyIds: [1, 2], sealingAnew: { state: 'running', looked: 0, total: 250 } },
    }),
  ],
  errors: ['NOT_READY'],
};
