/** The operator token: from the environment, else from a file in the data folder, which is created at the first start. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderTrouble } from '../persistence/disk/disk-trouble.ts';
import { writeDurably } from '../persistence/disk/durable-file.ts';
import { TOKEN_FILE } from '../persistence/folder/data-folder.ts';

export function loadOperatorToken(folder: string, fromEnvironment: string | undefined): string {
  if (fromEnvironment !== undefined) return fromEnvironment;
  const file = join(folder, TOKEN_FILE);
  const token = readOrMake(file).trim();
  if (!/^[\x21-\x7e]{16,}$/.test(token)) {
    throw new Error(`${file} holds no valid operator token: delete it, and the next start creates a new one`);
  }
  return token;
}

function readOrMake(file: string): string {
  try {
    if (!existsSync(file)) writeDurably(file, `${randomBytes(24).toString('hex')}\n`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`cannot read or create the operator token file ${file}: ${folderTrouble(error)}`, {
      cause: error,
    });
  }
}
