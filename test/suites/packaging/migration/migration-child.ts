/** Upgrades the folder of its first argument, and is killed at the call of `node:fs` of the second. */
import { lockFolder } from '../../../../src/persistence/folder/folder-lock.ts';
import { migrateFolder } from '../../../../src/persistence/migration/migrate-folder.ts';
import { withFailingCall } from '../../../support/failing-calls.ts';
import { STEPS } from './old-folder.ts';

const [folder = '', call = '0'] = process.argv.slice(2);
await lockFolder(folder);
await withFailingCall({ call: Number(call), code: 'SIGKILL' }, () =>
  migrateFolder({ folder, masterKey: undefined, steps: STEPS, say: () => undefined }),
);
