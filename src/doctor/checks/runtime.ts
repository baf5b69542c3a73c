/** The runtime of the program: Node, the database's binary, and the HTTP server. */
import { type ChosenTransport, chooseTransport } from '../../http/transport/transport-choice.ts';
import { type Finding, failed, ok, warning } from '../finding.ts';
import type { Patient } from '../patient.ts';

const OLDEST = [20, 19] as const;
const TESTED: readonly number[] = [20, 22, 24, 26];

export function node(): Finding {
  return judgeNode(process.versions.node);
}

/** `version`: as `20.19.0`. */
export function judgeNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    return failed(`Node ${version} is too old: install ${OLDEST.join('.')} or newer`);
  if (TESTED.includes(major)) return ok(`Node ${version}`);
  return warning(`Purser is not tested with Node ${version}: use ${TESTED.join(', ')}`);
}

export async function binary(): Promise<Finding> {
  const place = `${process.platform}-${process.arch}`;
  try {
    await import('../../persistence/lmdb/lmdb-environment.ts');
    return ok(`the database's binary loads on ${place}`);
  } catch (error) {
    const reason = (error as Error).message.split('\n', 1)[0];
    return failed(
      `the database's binary does not load on ${place} (${reason}): install the package again on this machine, with this Node`,
    );
  }
}

export async function transport({ config }: Patient): Promise<Finding> {
  try {
    return judgeTransport(await chooseTransport(config.transport));
  } catch (error) {
    return failed(`${(error as Error).message}; or use --transport auto`);
  }
}

export function judgeTransport({ name, warning: advice }: Omit<ChosenTransport, 'transport'>): Finding {
  return advice === undefined ? ok(`the buyer API is served by ${name}`) : warning(advice);
}
