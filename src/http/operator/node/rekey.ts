/**
 * The master key of the data folder: GET /rekey says which one it is, POST /rekey changes it. (Accounts have keys of
 * another kind: `accounts.ts`.)
 *
 * Invariant: the record that an operator changes a key is durable before the change. No answer and no fact has a key or
 * a part of one; ids tell keys apart.
 */
import type { Fields } from '../../../views/operator-views.ts';
import { apiError, badRequest } from '../../errors.ts';
import { optionalBody } from '../operator-body.ts';
import { bodyRoute, type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import type { KeyServices } from '../operator-services.ts';
import { OWNERS } from '../roles.ts';
import { masterKeyFrom } from './node-status.ts';
import { GET_KEYS, REKEY } from './rekey-operations.ts';

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
  ];
}

function keyFields(keys: KeyServices): Fields {
  return { masterKeyId: keys.state().masterKeyId, masterKeyFrom: masterKeyFrom(keys) };
}

/** An error's one line as an answer's message. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
