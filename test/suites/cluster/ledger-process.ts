/** The process of an `OutsideLedger`: what it is told is synced to its file, and only then answered. */
import { fdatasyncSync, openSync, writeSync } from 'node:fs';

const file = openSync(process.argv[2] ?? '', 'a');
let waiting: string[] = [];

process.on('message', (line: string) => {
  if (waiting.push(line) === 1) setImmediate(keep);
});
process.on('disconnect', () => process.exit());

/** All that has come is one sync. */
function keep(): void {
  const lines = waiting;
  waiting = [];
  writeSync(file, `${lines.join('\n')}\n`);
  fdatasyncSync(file);
  process.send?.(lines.length);
}
