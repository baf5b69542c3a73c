/** The operator's token: from the environment, or made once and kept in the data folder for its owner. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderTrouble } from './persistence/disk/disk-trouble.ts';
import { writeDurably } from './persistence/disk/durable-file.ts';

export function loadOperatorToken(folder: string, fromEnvironment: string | undefined): string {
  if (fromEnvironment !== undefined) return fromEnvironment;
  const file = join(folder, 'operator-token');
  const token = readOrMake(file).trim();
  if (!/^[\x21-\x7e]{16,}$/.test(token)) {
    throw new Error(`${file} holds no operator token: delete the file to get a new one`);
  }
  return token;
}

function readOrMake(file: string): string {
  try {
    if (!existsSync(file)) writeDurably(file, `${randomBytes(24).toString('hex')}\n`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`the operator token in ${file} cannot be had: ${folderTrouble(error)}`, { cause: error });
  }
}
