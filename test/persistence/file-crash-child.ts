/** Uploads files until it is killed, several at once, and says of each that is stored what and where it is. */
import { FileStore, MAX_UPLOADS } from '../../src/persistence/files/file-store.ts';
import { patternBytes } from '../support/pattern-bytes.ts';
import { chunksOf } from './file-scene.ts';

const [dataDir = '', firstSeed = ''] = process.argv.slice(2);
const store = FileStore.open(dataDir);
let seed = Number(firstSeed);

async function uploadOn(): Promise<never> {
  for (;;) {
    seed += 1;
    const mine = seed;
    const bytes = patternBytes(50_000 + (mine % 7) * 100_000, mine);
    const { fileId } = await store.add(chunksOf(bytes, 30_000), 'application/octet-stream');
    process.stdout.write(`${fileId} ${mine}\n`);
  }
}

console.log('begins');
await Promise.all(Array.from({ length: MAX_UPLOADS }, uploadOn));
