/** The description of answers that are the bytes of a file, for the routes of buyers and of operators. */
import type { Answer, ErrorAnswer, RequestHeader } from '../operation.ts';

const OF_FILE = ['ETag', 'Accept-Ranges'] as const;
const OF_BYTES = [...OF_FILE, 'Content-Disposition', 'X-Content-Type-Options'] as const;
const BYTES = { '*/*': 'The bytes of the file.' } as const;

export const FILE_HEADERS: readonly RequestHeader[] = [
  { name: 'Range', description: 'One range of bytes, to resume a download.' },
  {
    name: 'If-Range',
    description:
      'The ETag of the part that you have. When the file is a different one, the answer is the whole file.',
  },
  {
    name: 'If-None-Match',
    description:
      'The ETag of the file that you have. When the file is the same, the answer is 304 without a body.',
  },
];

export const FILE_ANSWERS: readonly Answer[] = [
  {
    status: 200,
    description:
      'The bytes of the file. With fewer bytes than Content-Length says, the download is not complete.',
    others: BYTES,
    headers: OF_BYTES,
  },
  {
    status: 206,
    description: 'The bytes of the range.',
    others: BYTES,
    headers: [...OF_BYTES, 'Content-Range'],
  },
  { status: 304, description: 'The file is the one that you have.', headers: OF_FILE },
];

export const NO_SUCH_RANGE = {
  code: 'BAD_REQUEST',
  status: 416,
  headers: ['Content-Range'],
} as const satisfies ErrorAnswer;
