/** The description of what all imports answer. */
import type { JsonSchema } from '../../schemas/json-schema.ts';
import { listOf, rowSchema } from '../operator-operation.ts';
import { MAX_TOLD_LINES } from './import-errors.ts';

/** The fields of every import's answer. */
export const IMPORT_FIELDS: Readonly<Record<string, JsonSchema>> = {
  created: { type: 'integer' },
  updated: { type: 'integer' },
  unchanged: { type: 'integer' },
  errorCount: { type: 'integer', description: 'With one, nothing changed, unless bad lines are left out.' },
  errors: listOf(
    rowSchema('BadImportLine', 'What is wrong with a line.', {
      required: {
        line: { type: 'integer', description: 'Of the file, where the record begins; the header is 1.' },
        column: { type: 'string' },
        message: { type: 'string' },
      },
    }),
    `The first ${MAX_TOLD_LINES}.`,
  ),
};
