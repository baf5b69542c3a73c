/** Descriptions of the routes of the data folder's keys. */
import { answerSchema } from '../../schemas/envelope.ts';
import { answer, listOf, type OperatorOperation } from './operator-operation.ts';

const MASTER_KEY_ID = {
  type: 'string',
  description: 'Of the master key: it tells keys apart, and is no part of one.',
} as const;

const KEYS = answerSchema('Keys', 'The keys of the data folder, without the keys themselves.', {
  masterKeyId: MASTER_KEY_ID,
  masterKeyFrom: { type: 'string', enum: ['file', 'environment'] },
  dataKeyIds: listOf({ type: 'string' }, 'The last one encrypts.'),
  sealingAnew: {
    type: 'object',
    description: 'How far everything is encrypted with the last data key.',
    required: ['state', 'looked', 'total'],
    properties: {
      state: { type: 'string', enum: ['done', 'running', 'failed'] },
      looked: {
        type: 'integer',
        description:
          'So many rows and secrets have been looked at since the node started or the change began. After a start it begins at 0 again; what has the last data key is passed over quickly.',
      },
      total: { type: 'integer', description: 'How many have to be looked at; 0 when nothing was begun.' },
      trouble: { type: 'string', description: 'Why it does not go on.' },
    },
  },
});

const CHANGED = answerSchema('MasterKeyChanged', 'The folder has a new master key.', {
  masterKeyId: MASTER_KEY_ID,
  previousMasterKeyId: { type: 'string' },
  message: { type: 'string', description: 'For people: what the next start needs.' },
});

const SEALED = {
  masterKeyId: '4f0c2b9d',
  masterKeyFrom: 'file',
  dataKeyIds: ['9d7e6a18'],
  sealingAnew: { state: 'done', looked: 0, total: 0 },
};

export const GET_KEYS: OperatorOperation = {
  operationId: 'getKeys',
  tag: 'Node',
  summary: 'Read how the keys of the data folder are',
  answers: [answer(200, KEYS, { keys: SEALED })],
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
        previousMasterKeyId: SEALED.masterKeyId,
        message: 'The key file has the new key.',
      },
    }),
  ],
  errors: ['NOT_READY'],
};

export const REKEY_DATA: OperatorOperation = {
  operationId: 'changeDataKeys',
  tag: 'Node',
  summary: 'Encrypt everything anew, with a new data key',
  description: 'It goes on behind the traffic: GET /rekey says how far it is.',
  bodies: { why: { reason: 'every year' } },
  answers: [
    answer(202, KEYS, {
      running: {
        ...SEALED,
        dataKeyIds: ['9d7e6a18', '2b9d7e6a'],
        sealingAnew: { state: 'running', looked: 120, total: 4000 },
      },
    }),
  ],
  errors: ['NOT_READY'],
};
