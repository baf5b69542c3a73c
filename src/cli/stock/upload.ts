/** Uploads a file with its progress, and prints the answer. */
import { type ClientFlags, connect, printAnswer, type Render } from '../calls/client-commands.ts';
import { repeatWhenLost } from '../calls/lost-answer.ts';
import type { Answer, Upload } from '../calls/operator-client.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { openItemSource } from './item-source.ts';
import { withUploadProgress } from './upload-progress.ts';

/** `file` is a path, or `-` for standard input; `empty`: what to say of a file that has nothing. */
export async function uploadAndPrint(
  terminal: Terminal,
  flags: ClientFlags,
  file: string,
  target: Pick<Upload, 'method' | 'path' | 'contentType' | 'key'>,
  render?: Render,
  empty?: string,
): Promise<Answer> {
  const client = await connect(terminal, flags);
  const isReadOnce = file === '-';
  const attempt = async () => {
    const source = await openItemSource(file, terminal.stdin, empty);
    try {
      // Before the progress is drawn, where the question stands.
      await client.askReason();
      return await withUploadProgress(terminal, source, () =>
        client.upload({ ...target, body: source.stream, sizeBytes: source.sizeBytes }),
      );
    } finally {
      source.close();
    }
  };
  const answer = await (isReadOnce ? attempt() : repeatWhenLost(target.key, attempt));
  printAnswer(terminal, flags, answer, render);
  return answer;
}
