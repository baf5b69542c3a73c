/** Descriptions of the routes of the data folder's keys. */
import { answerSchema } from '../../schemas/envelope.ts';
import { answer, type OperatorOperation } from '../operator-operation.ts';

const MASTER_KEY_ID = {
  type: 'string',
  description: 'Of the master key: it tells keys apart, and is no part of one.',
} as const;

const KEYS = answerSchema('Keys', 'The master key of the data folder, without the key itself.', {
  masterKeyId: MASTER_KEY_ID,
  masterKeyFrom: { type: 'string', enum: ['file', 'environment'] },
});

const CHANGED = answerSchema('MasterKeyChanged', 'The folder has a new master key.', {
  masterKeyId: MASTER_KEY_ID,
  previousMasterKeyId: { type: 'string' },
  message: { type: 'string', description: 'For people: what the next start needs.' },
});

const NOW = {
  masterKeyId: '4f0c2b9d',
  masterKeyFrom: 'file',
};

export const GET_KEYS: OperatorOperation = {
  operationId: 'getKeys',
  tag: 'Node',
  summary: 'Read which master key the data folder has',
  answers: [answer(200, KEYS, { keys: NOW })],
  errors: [],
};

export const REKEY: OperatorOperation = {
  operationId: 'changeMasterKey',
  tag: 'Node',
  summary: 'Change the master key of the data folder',
  description:
    'With the key file, the node makes the new key and replaces the file. With `PURSER_MASTER_KEY`, `newKey` is required, and the next start needs it. The old key opens the folder no more; backups from before need it.',
  bodies: { file: { reason: 'every year' }, environment: { newKey: `${'A'.repeat(43)}=` } },
  answers: [
    answer(200, CHANGED, {
      changed: {
        masterKeyId: '6a18354f',
        previousMasterKeyId: NOW.masterKeyId,
        message: 'The key file has the new key.',
      },
    }),
  ],
  errors: ['NOT_READY'],
};
