/**
 * The master key that its owner has saved elsewhere, by its id: `master-key-saved` of the data folder. A master key of the
 * key file is given away once; after that only the file has it, or a change makes a new one.
 *
 * Invariant: that a key was given is durable before the key is; a crash between the two costs the saving, and never gives
 * the key twice. The file has no part of a key. One that is missing or damaged is as none: then a key may be saved again.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../disk/durable-file.ts';
import type { KeyRing } from './key-ring.ts';

const FILE_NAME = 'master-key-saved';
const FORM = /^[0-9a-f]{8}\n$/;

type Ring = Pick<KeyRing, 'keyFile' | 'masterKeyId' | 'masterKeyText'>;

export class SavedKey {
  readonly #file: string;
  readonly #ring: Ring;
  #masterKeyId: string | undefined;

  constructor(folder: string, ring: Ring) {
    this.#file = join(folder, FILE_NAME);
    this.#ring = ring;
    this.#masterKeyId = readId(this.#file);
  }

  /** Whether the master key of now was saved. Undefined when it is from the environment: then nobody needs to. */
  get isSaved(): boolean | undefined {
    if (this.#ring.keyFile === undefined) return undefined;
    return this.#masterKeyId === this.#ring.masterKeyId;
  }

  /** The key in base64. The caller has looked at `isSaved`. Throws what the disk does: then it may be tried again. */
  take(): { readonly masterKeyId: string; readonly masterKey: string } {
    const { masterKeyId, masterKeyText: masterKey } = this.#ring;
    if (masterKey === '') throw new Error('the key file has been changed by somebody else');
    writeDurably(this.#file, `${masterKeyId}\n`);
    this.#masterKeyId = masterKeyId;
    return { masterKeyId, masterKey };
  }
}

function readId(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return FORM.test(text) ? text.trim() : undefined;
  } catch {
    return undefined;
  }
}
