/** Whether a stored file is what was stored: its content has the SHA-256 of its description. */
import { createHash } from 'node:crypto';
import { unreadableFile } from './file-errors.ts';
import type { StoredFile } from './stored-file.ts';

/** Reads all of it. Rejects with `unreadable`. */
export async function proveContent(file: StoredFile): Promise<void> {
  const { fileId, sizeBytes, sha256 } = file.description;
  const digest = createHash('sha256');
  const content = file.range(0, sizeBytes);
  for (let chunk = await content.read(); chunk !== undefined; chunk = await content.read()) {
    digest.update(chunk);
  }
  if (digest.digest('hex') !== sha256) {
    throw unreadableFile(fileId, 'its content differs from the upload');
  }
}
