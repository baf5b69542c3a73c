/**
 * A reporter for node's runner that says once more, after everything else, which tests failed and why.
 *
 * Thousands of lines lie between a failure and the end of a run, and who reads a log often has its end only.
 * A suite that failed only because of what is in it is left out.
 */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

export default async function* failures(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failed: string[] = [];
  for await (const event of source) {
    if (event.type !== 'test:fail') continue;
    const { name, file, line, details } = event.data;
    const error = details.error as Error & { failureType?: string; cause?: unknown };
    if (error.failureType === 'subtestsFailed') continue;
    const cause =
      error.cause instanceof Error ? (error.cause.stack ?? error.cause.message) : String(error.cause);
    const place = file === undefined ? '' : ` (${relative(process.cwd(), file)}:${line ?? 0})`;
    failed.push(
      `${name}${place}, after ${Math.round(details.duration_ms)} ms\n${cause.replaceAll(/^/gm, '    ')}\n`,
    );
  }
  if (failed.length > 0) yield `\nFailed:\n\n${failed.join('\n')}`;
}
