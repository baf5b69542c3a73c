/**
 * The master key of the data folder: GET /rekey says which one it is, POST /rekey changes it, POST /rekey/save answers the
 * one of the key file, so that its owner keeps it elsewhere. (Accounts have keys of another kind: `accounts.ts`.)
 *
 * Invariant: the record that an operator changes or is shown a key is durable before that. One answer for each master key
 * has it, to an owner; no other answer, no fact and no log has a key or a part of one. Ids tell keys apart.
 */
import type { Fields } from '../../../views/operator-views.ts';
import { apiError, badRequest } from '../../errors.ts';
import { noFields, optionalBody } from '../operator-body.ts';
import { bodyRoute, type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import type { KeyServices } from '../operator-services.ts';
import { OWNERS } from '../roles.ts';
import { masterKeyFields } from './node-status.ts';
import { GET_KEYS, REKEY, SAVE_MASTER_KEY } from './rekey-operations.ts';

/** 32 bytes in base64 have 44 characters; the file may end with a line feed. */
const NEW_KEY = {
  newKey: {
    type: 'string',
    maxLength: 100,
    description: '32 bytes in base64; required when the key is from the environment.',
  },
} as const;

const NEXT_START =
  'The next start needs the new key in PURSER_MASTER_KEY; the old one opens this folder no more.';
const FILE_REPLACED =
  'The key file has the new key; the old one opens this folder no more. Backups from before need the old one.';
const FAILED =
  'The disk failed while keys were written. The key that the key file has, or PURSER_MASTER_KEY, the old or the new, opens the folder. Look at the disk, then try again.';
const NOT_SAVED = 'The disk failed, so the key was not given. Look at the disk, then try again.';
const FROM_ENVIRONMENT =
  'This node has its master key from PURSER_MASTER_KEY, so whoever set that has it: there is nothing to save.';
const SAVED_BEFORE =
  'This master key was saved before: the audit says when and by whom (MasterKeyShown). It is in the file master-key of the data folder on the server; `purser rekey` makes a new one, which can be saved.';

export function rekeyRoutes({ keys }: OperatorServices): OperatorRoute[] {
  return [
    operatorRoute('GET /rekey', GET_KEYS, (context) => context.succeed(200, keyFields(keys))),
    bodyRoute('POST /rekey', REKEY, OWNERS, optionalBody(NEW_KEY), (context, { newKey }) =>
      context.run(async () => {
        const refusal = () => keys.refusalOf(newKey);
        if (refusal() === undefined) await context.record({ action: 'MasterKeyChanged' });
        // Another request may have brought the same key meanwhile.
        const refused = refusal();
        if (refused !== undefined) return context.fail(badRequest(sentence(refused)));
        const before = keys.state().masterKeyId;
        try {
          await keys.rekey(newKey);
        } catch (error) {
          return context.fail(apiError('NOT_READY', `${FAILED} (${(error as Error).message})`));
        }
        const { masterKeyId, keyFile } = keys.state();
        const message = keyFile === undefined ? NEXT_START : FILE_REPLACED;
        context.succeed(200, { masterKeyId, previousMasterKeyId: before, message });
      }),
    ),
    bodyRoute('POST /rekey/save', SAVE_MASTER_KEY, OWNERS, noFields(), (context) =>
      context.run(async () => {
        if (savingRefusal(keys) === undefined) await context.record({ action: 'MasterKeyShown' });
        // Another request may have saved it meanwhile.
        const refused = savingRefusal(keys);
        if (refused !== undefined) return context.fail(apiError('TRANSITION_NOT_ALLOWED', refused));
        try {
          context.succeed(200, { ...keys.save() });
        } catch (error) {
          context.fail(apiError('NOT_READY', `${NOT_SAVED} (${(error as Error).message})`));
        }
      }),
    ),
  ];
}

function keyFields(keys: KeyServices): Fields {
  return { masterKeyId: keys.state().masterKeyId, ...masterKeyFields(keys) };
}

function savingRefusal(keys: KeyServices): string | undefined {
  const { keyFile, isSaved } = keys.state();
  if (keyFile === undefined) return FROM_ENVIRONMENT;
  return isSaved === true ? SAVED_BEFORE : undefined;
}

/** An error's one line as an answer's message. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
