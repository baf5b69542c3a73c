/** Whether program, folder and running node fit. */
import { formatOf, isCurrent, mayMigrate, refusal } from '../../persistence/folder/data-folder.ts';
import { FORMAT_VERSION, type FolderFormat } from '../../persistence/folder/folder-format.ts';
import { PURSER_VERSION } from '../../version.ts';
import { type Finding, failed, ok, together, warning } from '../finding.ts';
import type { Patient } from '../patient.ts';

export function versions({ config, isBegun, running }: Patient): Finding {
  const findings = [ok(`Purser ${PURSER_VERSION}, data folders of version ${FORMAT_VERSION}`)];
  if (isBegun) findings.push(folderFinding(config.dataDir));
  findings.push(judgeNodeVersion(running?.status?.version));
  return together(findings);
}

function folderFinding(folder: string): Finding {
  try {
    return judgeFormat(folder, formatOf(folder));
  } catch (error) {
    return failed((error as Error).message);
  }
}

export function judgeFormat(folder: string, format: FolderFormat): Finding {
  if (isCurrent(format)) return ok('');
  const advice = refusal(folder, format).message;
  return mayMigrate(format) ? warning(advice) : failed(advice);
}

/** Undefined when there is none, or it doesn't tell. */
export function judgeNodeVersion(version: unknown): Finding {
  if (version === undefined || version === PURSER_VERSION) return ok('');
  return warning(`the running node is Purser ${version}: restart it to run this version`);
}
