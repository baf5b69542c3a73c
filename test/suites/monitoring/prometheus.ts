/** A Prometheus of one run's own: it scrapes one node every second, with the rules that it is given. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/servers/free-port.ts';

export interface FiringAlert {
  readonly name: string;
  /** `pending` while it waits for its `for`. */
  readonly state: 'pending' | 'firing';
}

export interface PrometheusOptions {
  readonly folder: string;
  /** `host:port` of the operator's listener. */
  readonly target: string;
  /** The token of an operator with the role `metrics`. */
  readonly token: string;
  readonly rulesFile: string;
}

/** Which of both programs isn't there; empty when both are. */
export function missingPrograms(): string[] {
  return ['prometheus', 'promtool'].filter((name) => spawnSync(name, ['--version']).status !== 0);
}

/** The output of `promtool`; throws when it finds fault. */
export function promtool(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`promtool ${args.join(' ')} exited with ${status}:\n${stdout}${stderr}`);
  return `${stdout}${stderr}`.trim();
}

export class Prometheus {
  readonly #process: ChildProcess;
  readonly #url: string;

  private constructor(process: ChildProcess, url: string) {
    this.#process = process;
    this.#url = url;
  }

  static async start({ folder, target, token, rulesFile }: PrometheusOptions): Promise<Prometheus> {
    mkdirSync(folder, { recursive: true });
    const tokenFile = join(folder, 'token');
    const config = join(folder, 'prometheus.yml');
    writeFileSync(tokenFile, token, { mode: 0o600 });
    writeFileSync(config, configText(target, tokenFile, rulesFile));
    promtool(['check', 'config', config]);
    const address = `127.0.0.1:${await freePort()}`;
    const flags = [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'series')}`,
      `--web.listen-address=${address}`,
      '--log.level=warn',
    ];
    const child = spawn('prometheus', flags, { stdio: ['ignore', 'ignore', 'inherit'] });
    process.once('exit', () => child.kill('SIGKILL'));
    const prometheus = new Prometheus(child, `http://${address}`);
    await eventually('Prometheus is ready', async () => {
      if (child.exitCode !== null) throw new Error(`prometheus exited with ${child.exitCode}`);
      return fetch(`http://${address}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
    return prometheus;
  }

  /** The value of a query that gives one; undefined when it gives none. */
  async value(query: string): Promise<number | undefined> {
    const { result } = (await this.#get(`query?query=${encodeURIComponent(query)}`)) as {
      readonly result: readonly { readonly value: readonly [number, string] }[];
    };
    return result[0] === undefined ? undefined : Number(result[0].value[1]);
  }

  async alerts(): Promise<FiringAlert[]> {
    const { alerts } = (await this.#get('alerts')) as {
      readonly alerts: readonly {
        readonly state: FiringAlert['state'];
        readonly labels: { readonly alertname: string };
      }[];
    };
    return alerts.map(({ state, labels }) => ({ name: labels.alertname, state }));
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await exited;
  }

  async #get(path: string): Promise<unknown> {
    const reply = await fetch(`${this.#url}/api/v1/${path}`);
    const { status, data, error } = (await reply.json()) as { status: string; data: unknown; error?: string };
    if (status !== 'success') throw new Error(`Prometheus answered ${path} with ${error}`);
    return data;
  }
}

function configText(target: string, tokenFile: string, rulesFile: string): string {
  return `global:
  scrape_interval: 1s
  evaluation_interval: 1s
rule_files:
  - ${rulesFile}
scrape_configs:
  - job_name: purser
    authorization:
      credentials_file: ${tokenFile}
    static_configs:
      - targets: ['${target}']
`;
}
