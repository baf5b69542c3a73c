/**
 * A proxy with a configuration that Purser ships, on ports and with a certificate of the test's own: those of
 * docs/cluster, in front of two nodes, and those of docs/proxies, in front of one.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../../support/repository-root.ts';
import { findProgram } from '../../support/servers/database-process.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { TestAuthority } from '../../support/servers/test-authority.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

export type ProxyName = 'haproxy' | 'nginx' | 'caddy';

const FILES: Readonly<Record<ProxyName, string>> = {
  haproxy: 'haproxy.cfg',
  nginx: 'nginx.conf',
  caddy: 'Caddyfile',
};

export interface ShippedConfiguration {
  readonly folder: 'docs/cluster' | 'docs/proxies';
  readonly name: ProxyName;
  /** Addresses in the file → those in the test. Operators' addresses are known to HAProxy of the cluster alone. */
  readonly nodes: Readonly<Record<string, string>>;
}

/** Why it can't run here; undefined when it can. */
export async function whyNot(name: ProxyName): Promise<string | undefined> {
  if ((await findProgram(name)) !== undefined) return undefined;
  return `${name} is not installed here: apt-get install ${name}`;
}

export class ShippedProxy {
  /** Where buyers go. */
  readonly url: string;
  /** Where operators go; only HAProxy of the cluster has it. */
  readonly operatorUrl: string;
  /** The certificate of the authority that a client must trust. */
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

  static async start(shipped: ShippedConfiguration): Promise<ShippedProxy> {
    const { name } = shipped;
    const program = await findProgram(name);
    if (program === undefined) throw new Error(await whyNot(name));
    const folder = await createTemporaryFolder(name);
    const authority = new TestAuthority();
    const { key, cert } = authority.issue(['127.0.0.1']);
    writeFileSync(join(folder.path, 'shop.pem'), `${cert}${key}`);
    writeFileSync(join(folder.path, 'shop.crt'), cert);
    writeFileSync(join(folder.path, 'shop.key'), key);
    const ports = { buyers: await freePort(), operators: await freePort() };
    const args = ARGUMENTS[name](folder.path, configuration(shipped, folder.path, ports));
    const env = { ...process.env, HOME: folder.path };
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    return new ShippedProxy(folder, child, ports, authority.certificate);
  }

  /** The proxy's output, for the message of a test that fails. */
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
}

/** The file as it is shipped, but for what its first lines tell operators to change. Throws when that isn't in it. */
function configuration(
  { folder: from, name, nodes }: ShippedConfiguration,
  to: string,
  ports: Ports,
): string {
  const isRoot = process.getuid?.() === 0;
  const own: Readonly<Record<ProxyName, readonly (readonly [shipped: string, own: string])[]>> = {
    haproxy: [
      ['bind :443', `bind 127.0.0.1:${ports.buyers}`],
      ['/etc/haproxy/', `${to}/`],
      ...(from === 'docs/cluster'
        ? ([['bind 127.0.0.1:8081', `bind 127.0.0.1:${ports.operators}`]] as const)
        : []),
      // Only who is root can become another user.
      ...(isRoot ? [] : (['user', 'group'] as const).map((word) => [`    ${word} haproxy\n`, ''] as const)),
    ],
    nginx: [
      ['listen 443', `listen 127.0.0.1:${ports.buyers}`],
      ['/etc/nginx/', `${to}/`],
    ],
    caddy: [
      // Its own ports are 80 and 2019.
      ['shop.example {', `{\n\tadmin off\n\tauto_https off\n}\n\nhttps://127.0.0.1:${ports.buyers} {`],
      ['# tls /etc/caddy/shop.crt /etc/caddy/shop.key', `tls ${to}/shop.crt ${to}/shop.key`],
    ],
  };
  const file = FILES[name];
  let text = readFileSync(join(repositoryRoot(), from, file), 'utf8');
  for (const [shipped, replaced] of [...Object.entries(nodes), ...own[name]]) {
    if (!text.includes(shipped)) throw new Error(`${from}/${file} has no ${shipped}`);
    text = text.replaceAll(shipped, replaced);
  }
  const path = join(to, file);
  writeFileSync(path, text);
  return path;
}

const ARGUMENTS: Readonly<Record<ProxyName, (folder: string, file: string) => string[]>> = {
  haproxy: (_folder, file) => ['-db', '-f', file],
  caddy: (_folder, file) => ['run', '--config', file, '--adapter', 'caddyfile'],
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
