/**
 * The log of a cluster: whether it is there, is PostgreSQL's own and not a pooler's, keeps what it confirms, and is the one
 * that the folder belongs to.
 */
import { readClusterFile } from '../../cluster/cluster-file.ts';
import { PostgresCluster } from '../../cluster/postgres/postgres-cluster.ts';
import { hostsText, parseLogUrl, passwordIn } from '../../cluster/postgres/postgres-url.ts';
import type { CheckedMachine } from '../checked-machine.ts';
import { type Finding, failed, ok, warning } from '../finding.ts';

export async function log({ config, isBegun }: CheckedMachine): Promise<Finding> {
  const { log: text, dataDir, logPasswordFile } = config;
  let postgres: PostgresCluster | undefined;
  try {
    const own = isBegun ? readClusterFile(dataDir) : undefined;
    if (text === undefined && own === undefined)
      return ok('the folder has its log itself, without a cluster');
    if (text === undefined)
      return failed(`the folder belongs to node ${own?.node} of a cluster: say with --log where its log is`);
    const url = parseLogUrl(text);
    postgres = new PostgresCluster({ url, password: passwordIn(logPasswordFile), node: 'doctor' });
    await postgres.requireDurable();
    const there = await postgres.read();
    return judgeLog(hostsText(url), there?.log, own?.log);
  } catch (error) {
    return failed((error as Error).message);
  } finally {
    await postgres?.close();
  }
}

/** `there`, `own`: the ids of the log that was found, and of the folder's. */
export function judgeLog(hosts: string, there: string | undefined, own: string | undefined): Finding {
  const found = `PostgreSQL at ${hosts} confirms nothing before another server has it`;
  if (there === own && own !== undefined) return ok(found);
  if (there === own) return warning(`${found}, but has no log yet: purser cluster init`);
  if (there === undefined)
    return failed(`the database at ${hosts} has no log: give the URL of this folder's log`);
  if (own === undefined)
    return failed(`the folder belongs to no cluster, and ${hosts} has the log of one: purser cluster join`);
  return failed(`the database at ${hosts} has the log of another cluster: give the URL of this folder's log`);
}
