/** `npm run api:examples` */
import { writeFileSync } from 'node:fs';
import { EXAMPLES_FILE } from './recorder.ts';
import { currentExamples } from './shop.ts';

writeFileSync(EXAMPLES_FILE, await currentExamples());
