/** Whether program and running node fit. The folder's format is looked at in `folder.ts`. */
import { FORMAT_VERSION } from '../../persistence/folder/folder-format.ts';
import { PURSER_VERSION } from '../../version.ts';
import { type Finding, ok, together, warning } from '../finding.ts';
import type { Patient } from '../patient.ts';

export function versions({ running }: Patient): Finding {
  return together([
    ok(`Purser ${PURSER_VERSION}, data folders of version ${FORMAT_VERSION}`),
    judgeNodeVersion(running?.status?.version),
  ]);
}

/** Undefined when there is none, or it doesn't tell. */
function judgeNodeVersion(version: unknown): Finding {
  if (version === undefined || version === PURSER_VERSION) return ok('');
  return warning(`the running node is Purser ${version}: restart it to run this version`);
}
