/** The thread that writes the access log, behind the traffic. */
import { serve, threadStart } from '../threads/thread-server.ts';
import type { AccessRows } from './access-batch.ts';
import { AccessFile, type LostLines } from './access-file.ts';
import { AccessLines } from './access-lines.ts';

const { data: path } = threadStart<string>();
const file = new AccessFile(path);
const lines = new AccessLines();

const calls = {
  write: (rows: AccessRows): LostLines | undefined => file.append(lines.of(rows)),
  reopen: (): void => file.reopen(),
  stop: (): void => file.close(),
};

export type AccessLogCalls = typeof calls;

serve(calls, [Error]);
