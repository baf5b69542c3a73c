/** Uploads a file, says now and then how much was read of it, and prints the answer. */
import { type ClientFlags, connect, printAnswer, type Render } from '../calls/client-commands.ts';
import { repeatWhenLost } from '../calls/lost-answer.ts';
import type { Answer, Upload } from '../calls/operator-client.ts';
import { GoingOn } from '../terminal/going-on.ts';
import { sizeText } from '../terminal/size-text.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { openItemSource } from './item-source.ts';

const LOOK_MS = 1_000;

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
    let timer: NodeJS.Timeout | undefined;
    try {
      await client.askReason();
      const goingOn = new GoingOn(terminal, 'the upload');
      const { stream, sizeBytes } = source;
      const size = sizeBytes === undefined ? '' : ` of ${sizeText(sizeBytes)}`;
      timer = setInterval(() => goingOn.now(`${sizeText(source.readBytes())}${size} were sent`), LOOK_MS);
      return await client.upload({ ...target, body: stream, sizeBytes });
    } finally {
      clearInterval(timer);
      source.close();
    }
  };
  const answer = await (isReadOnce ? attempt() : repeatWhenLost(target.key, attempt));
  printAnswer(terminal, flags, answer, render);
  return answer;
}
