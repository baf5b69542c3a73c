/** The description of what all imports take and answer. */

import { answerSchema } from '../../schemas/envelope.ts';
import type { JsonSchema } from '../../schemas/json-schema.ts';
import { answer, listOf, rowSchema } from '../operator-operation.ts';
import { MAX_TOLD_LINES } from './import-errors.ts';

const FIELDS: Readonly<Record<string, JsonSchema>> = {
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

/** The body that an import takes beside JSON. */
export const TABLE_BODY = {
  'text/csv':
    'A table of up to 64 MiB, as spreadsheets write it: UTF-8, or UTF-16 with a byte order mark; comma, semicolon or tab.',
} as const;

/** The answer of an import; `line`: what a dry run says of each line. */
export function importAnswer(name: string, line: JsonSchema) {
  const lines = listOf(line, `Of a dry run: the first ${MAX_TOLD_LINES} lines that would change something.`);
  return answer(200, answerSchema(name, 'What became of the lines.', FIELDS, { lines }));
}
