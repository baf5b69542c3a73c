/**
 * Upgrades the folder of its first argument, and is killed at the call of `node:fs` of the second that changes something,
 * counted from 0; without one, it tells its parent how many there are.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { lockFolder } from '../../../../src/persistence/folder/folder-lock.ts';
import { migrateFolder } from '../../../../src/persistence/migration/migrate-folder.ts';

const CHANGING = [
  ...(['copyFileSync', 'fsyncSync', 'linkSync', 'mkdirSync'] as const),
  ...(['renameSync', 'rmSync', 'writeFileSync'] as const),
];

const [folder = '', last] = process.argv.slice(2);
await lockFolder(folder);
let calls = 0;
for (const name of CHANGING) {
  const original = fs[name] as (...args: unknown[]) => unknown;
  const counted = (...args: unknown[]) => {
    if (String(calls++) === last) process.kill(process.pid, 'SIGKILL');
    return original(...args);
  };
  Object.assign(fs, { [name]: counted });
}
syncBuiltinESMExports();
await migrateFolder({ folder, masterKey: undefined, say: () => undefined });
process.send?.(calls);
