/** Sealing anew on a disk that is full, and full again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DataRekeying, type DataRekeyingOptions } from '../../src/persistence/rekeying/data-rekeying.ts';
import { NoRoomError } from '../../src/persistence/rekeying/secret-resealing.ts';
import { eventually } from '../support/eventually.ts';

test('a full disk is told once, and again only after something was written', async () => {
  let dataKeyIds = ['old', 'new'];
  const written = [0, 0, 1, 0];
  let tries = 0;
  let told = 0;
  let isDone = false;
  const options = {
    ring: {
      get dataKeyIds() {
        return dataKeyIds;
      },
      whenShared: async () => {},
      retireOldDataKeys: () => (dataKeyIds = ['new']),
    },
    stock: {
      sealedRows: async () => 1,
      reseal: async () => ({ rows: 1, written: written[tries] ?? 0, next: undefined }),
      removeReplaced: async () => false,
    },
    secrets: {
      size: 0,
      run: async () => {
        tries += 1;
        if (tries <= written.length) throw new NoRoomError('the disk is full');
      },
    },
    retryMs: 1,
    onTrouble: () => (told += 1),
    onDone: () => (isDone = true),
  } as unknown as DataRekeyingOptions;
  new DataRekeying(options).resume();
  await eventually('it is done', () => isDone);
  assert.deepEqual([tries, told], [5, 2]);
});
