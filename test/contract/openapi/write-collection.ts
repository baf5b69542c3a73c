/** `npm run api:collection` */
import { writeFileSync } from 'node:fs';
import { QuietNode } from '../../support/nodes/quiet-node.ts';
import { COLLECTION_FILE, collectionText } from './collection.ts';

const node = await QuietNode.start('collection');
try {
  const { text } = await node.buyers.raw('GET', '/openapi.json');
  writeFileSync(COLLECTION_FILE, collectionText(JSON.parse(text)));
} finally {
  await node.close();
}
