/** `npm run client:types` */
import { writeFileSync } from 'node:fs';
import { API_TYPES_FILE, currentApiTypes } from './api-types.ts';

writeFileSync(API_TYPES_FILE, await currentApiTypes());
