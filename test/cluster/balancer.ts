/** HAProxy or nginx with the configuration of docs/cluster, on ports and with a certificate of the test's own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../../bench/peers/database-process.ts';
import { freePort } from '../support/free-port.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { TestAuthority } from '../support/test-authority.ts';

export type BalancerName = 'haproxy' | 'nginx';

/** Why it can't run here; undefined when it can. */
export async function whyNot(name: BalancerName): Promise<string | undefined> {
  if ((await findProgram(name)) !== undefined) return undefined;
  return `${name} is not installed here: apt-get install ${name}`;
}

export class Balancer {
  /** Where buyers go. */
  readonly url: string;
  /** Where operators go; only HAProxy has it. */
  readonly operatorUrl: string;
  /** What a client must trust. */
  readonly ca: string;
  readonly #folder: TemporaryFolder;
  readonly #process: ChildProcess;
  #said = '';

  private constructor(folder: TemporaryFolder, child: ChildProcess, ports: Ports, ca: string) {
    this.#folder = folder;
    this.#process = child;
    this.url = `https://127.0.0.1:${ports.buyers}/api/v1/buyer`;
    this.operatorUrl = `http://127.0.0.1:${ports.operators}/operator/v1`;
    this.ca = ca;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (text: Buffer) => {
        this.#said += text.toString();
      });
    }
  }

  /** `nodes` are the addresses of a and b; the third node of the configuration is down. */
  static async start(name: BalancerName, nodes: readonly [string, string]): Promise<Balancer> {
    const program = await findProgram(name);
    if (program === undefined) throw new Error(await whyNot(name));
    const folder = await createTemporaryFolder(name);
    const authority = new TestAuthority();
    const { key, cert } = authority.issue(['127.0.0.1']);
    writeFileSync(join(folder.path, 'shop.pem'), `${cert}${key}`);
    writeFileSync(join(folder.path, 'shop.crt'), cert);
    writeFileSync(join(folder.path, 'shop.key'), key);
    const ports = { buyers: await freePort(), operators: await freePort(), nobody: await freePort() };
    const args = ARGUMENTS[name](folder.path, configuration(name, folder.path, nodes, ports));
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    return new Balancer(folder, child, ports, authority.certificate);
  }

  /** What it wrote, for the message of a test that fails. */
  get said(): string {
    return this.#said;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const gone = once(this.#process, 'exit');
      this.#process.kill('SIGKILL');
      await gone;
    }
    await this.#folder.remove();
  }
}

interface Ports {
  readonly buyers: number;
  readonly operators: number;
  readonly nobody: number;
}

/** The file as it is shipped, but for what its first lines tell operators to change. Throws when that isn't in it. */
function configuration(
  name: BalancerName,
  folder: string,
  [a, b]: readonly [string, string],
  ports: Ports,
): string {
  const file = { haproxy: 'haproxy.cfg', nginx: 'nginx.conf' }[name];
  const common = [
    ['10.0.0.1:8080', a],
    ['10.0.0.2:8080', b],
    ['10.0.0.3:8080', `127.0.0.1:${ports.nobody}`],
  ];
  const own = {
    haproxy: [
      ['bind :443', `bind 127.0.0.1:${ports.buyers}`],
      ['bind 127.0.0.1:8081', `bind 127.0.0.1:${ports.operators}`],
      ['/etc/haproxy/', `${folder}/`],
      ['10.0.0.1:8081', a],
      ['10.0.0.2:8081', b],
      ['10.0.0.3:8081', `127.0.0.1:${ports.nobody}`],
      // Only who is root can become another user.
      ...(process.getuid?.() === 0 ? [] : ['user', 'group'].map((word) => [`    ${word} haproxy\n`, ''])),
    ],
    nginx: [
      ['listen 443', `listen 127.0.0.1:${ports.buyers}`],
      ['/etc/nginx/', `${folder}/`],
    ],
  };
  let text = readFileSync(join(repositoryRoot(), 'docs', 'cluster', file), 'utf8');
  for (const [from = '', to = ''] of [...common, ...own[name]]) {
    if (!text.includes(from)) throw new Error(`docs/cluster/${file} has no ${from}`);
    text = text.replaceAll(from, to);
  }
  const path = join(folder, file);
  writeFileSync(path, text);
  return path;
}

const ARGUMENTS: Readonly<Record<BalancerName, (folder: string, file: string) => string[]>> = {
  haproxy: (_folder, file) => ['-db', '-f', file],
  nginx: (folder, file) => {
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
      .join(' ');
    const whole = `daemon off; master_process off; pid ${folder}/pid; error_log stderr warn;
      events {} http { access_log off; ${folders} include ${file}; }`;
    writeFileSync(join(folder, 'whole.conf'), whole);
    return ['-p', folder, '-e', 'stderr', '-c', join(folder, 'whole.conf')];
  },
};
