import assert from 'node:assert/strict';

/** The lines that a node has printed, but for those that are meant to be read by people, as objects. */
export function jsonLines(output: string): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('purser is ready: '))
    .map((line) => {
      try {
        return JSON.parse(line) as Record<string, unknown>;
      } catch {
        return assert.fail(`not a line of JSON: ${line}`);
      }
    });
}
