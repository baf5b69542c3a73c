/** The folder of a server that has ended is in order. */
import assert from 'node:assert/strict';
import { verifyDataFolder } from '../../../../src/persistence/verify.ts';
import { runCommand } from '../../../support/nodes/purser-command.ts';

/** By what `purser verify` calls. The command's own word costs the start of a process. */
export async function assertSound(dataDir: string): Promise<void> {
  const lines: string[] = [];
  const isSound = await verifyDataFolder(dataDir, (line) => lines.push(line));
  assert.ok(isSound, lines.join('\n'));
  assert.notDeepEqual(lines, [], 'it says what it has checked');
}

export async function assertVerified(dataDir: string): Promise<void> {
  const { code, signal, stdout, stderr } = await runCommand(['verify', '--data', dataDir]);
  assert.deepEqual([code, signal], [0, null], `purser verify:\n${stdout}${stderr}`);
  assert.notEqual(stdout.trim(), '', 'verify says what it has checked');
}
