/** `npm run console:types` */
import { writeFileSync } from 'node:fs';
import { COMMAND_TYPES_FILE, currentCommandTypes } from '../../console/command-types.ts';
import { API_TYPES_FILE, CALL_ROLES_FILE, currentApiTypes } from './api-types.ts';

const { types, roles } = await currentApiTypes();
writeFileSync(API_TYPES_FILE, types);
writeFileSync(CALL_ROLES_FILE, roles);
writeFileSync(COMMAND_TYPES_FILE, currentCommandTypes());
