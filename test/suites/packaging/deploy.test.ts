/**
 * The examples of `deploy/` fit the program: settings that it accepts, ports that it listens on, probes
 * that it answers, and as much time to stop as it may take. Whether Docker and Kubernetes take them: deploy/README.md.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { unitSettings } from '../../../src/cli/service/service-settings.ts';
import { refuseHalfCluster } from '../../../src/config/cluster-options.ts';
import { type Config, type Environment, loadConfig } from '../../../src/config/config.ts';
import { OPTIONS } from '../../../src/config/options.ts';
import { OWN_VARIABLES } from '../../../src/config/variables.ts';
import { PROBE_PATHS } from '../../../src/http/operator/node/node-status.ts';
import { repositoryRoot } from '../../support/repository-root.ts';

const DEPLOY = join(repositoryRoot(), 'deploy');
const FILES = readdirSync(DEPLOY, { recursive: true, encoding: 'utf8' })
  .filter((name) => /(Dockerfile|\.ya?ml|\.md)$/.test(name))
  .sort();
const KUBERNETES = FILES.filter((name) => name.startsWith('kubernetes'));

function read(name: string): string {
  return readFileSync(join(DEPLOY, name), 'utf8');
}

/** A start that is broken off begins anew. */
const START_SECONDS = 24 * 3_600;
const dockerfile = read('Dockerfile');
/** The environment of the image; each container has it, too. */
const imageEnv = Object.fromEntries(
  [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) =>
    line.split(' ').map((pair) => pair.split('=') as [string, string]),
  ),
);

/** The result of the YAML parser, which nobody has typed. */
type Yaml = ReturnType<typeof parse>;

const resources: Yaml[] = KUBERNETES.flatMap((file) =>
  parseAllDocuments(read(file)).map((document) => ({ ...document.toJS(), file })),
);

function ofKind(kind: string): Yaml[] {
  return resources.filter((resource) => resource.kind === kind);
}

function podsOf({ spec }: Yaml): Yaml[] {
  return spec?.template === undefined ? [] : [spec.template.spec];
}

/** The environment that Kubernetes makes of it for the first pod. */
function environmentOf({ env = [], envFrom = [] }: Yaml): Environment {
  const made: Record<string, string> = { ...imageEnv };
  for (const { configMapRef } of envFrom)
    Object.assign(
      made,
      ofKind('ConfigMap').find(({ metadata }) => metadata.name === configMapRef.name)?.data,
    );
  for (const { name, value, valueFrom } of env) {
    if (valueFrom !== undefined) assert.equal(valueFrom.fieldRef.fieldPath, 'metadata.name');
    made[name] = (value ?? 'purser-0').replace(
      /\$\((\w+)\)/g,
      (_: string, other: string) => made[other] ?? '',
    );
  }
  return made;
}

/** Throws for a setting that a node doesn't accept, and for a variable that means nothing. */
function settingsOf(env: Environment): Config {
  const config = loadConfig({}, env, () => assert.fail('no file is named'));
  refuseHalfCluster(config);
  assert.equal(config.warning, undefined);
  return config;
}

function stopSecondsOf(config: Config): number {
  return unitSettings(config, {}, { user: 'purser', program: ['purser'], unpacks: false }).node.stopSeconds;
}

it('every file of deploy/ names variables that there are', () => {
  const known = [...Object.values(OPTIONS).map(({ env }) => env), ...OWN_VARIABLES.map(({ name }) => name)];
  for (const file of FILES)
    for (const [name] of read(file).matchAll(/\bPURSER_[A-Z0-9_]+/g)) assert.ok(known.includes(name), name);
});

describe('the image', () => {
  it('starts a node with settings that it accepts, below an init, and looks whether it is alive', () => {
    const { dataDir, host } = settingsOf(imageEnv);
    assert.deepEqual([dataDir, host], ['/var/lib/purser/data', '0.0.0.0']);
    assert.match(dockerfile, /^ENTRYPOINT \["\/usr\/bin\/tini", "--", "purser"\]$/m);
    const [, path = ''] = /PURSER_OPERATOR_PORT \|\| 8081}\/operator\/v1(\/\w+)/.exec(dockerfile) ?? [];
    assert.ok(PROBE_PATHS.includes(path), path);
    assert.match(dockerfile, new RegExp(` --start-period=${START_SECONDS / 3_600}h `));
  });
});

describe('the compose file', () => {
  const compose = parse(read('compose/compose.yaml'));
  const node = compose.services.purser;

  it('has settings that a node accepts, and gives it time to stop', () => {
    const config = settingsOf({ ...imageEnv, ...node.environment });
    assert.equal(node.networks.front.ipv4_address, config.host);
    assert.deepEqual(config.trustProxy, [`${compose.services.nginx.networks.front.ipv4_address}/32`]);
    assert.deepEqual(config.operatorNames, ['purser']);
    assert.equal(node.stop_grace_period, `${stopSecondsOf(config)}s`);
    const [, from, to] = /s\/([\d\\.:]+)\/([\d.:]+)\//.exec(compose.services.nginx.command[2]) ?? [];
    assert.equal(to, `${config.host}:${config.port}`);
    assert.match(read('../docs/proxies/nginx.conf'), new RegExp(`server ${from} `));
  });
});

describe('the Kubernetes files', () => {
  for (const set of ofKind('StatefulSet')) {
    const [pod] = podsOf(set);
    assert.ok(pod !== undefined);

    it(`${set.file} has settings that a node accepts, time for it to stop, and probes that it answers`, () => {
      for (const container of [...pod.containers, ...(pod.initContainers ?? [])])
        settingsOf(environmentOf(container));
      for (const container of pod.containers) {
        const config = settingsOf(environmentOf(container));
        assert.equal(pod.terminationGracePeriodSeconds, stopSecondsOf(config));
        const ports = container.ports?.map(({ containerPort }: Yaml) => containerPort);
        assert.deepEqual(ports, [config.port, config.operatorPort]);
        assert.deepEqual([config.host, config.operatorHost], ['0.0.0.0', '0.0.0.0']);
        for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
          const { path, port } = container[name]?.httpGet ?? assert.fail(name);
          assert.equal(path, `/operator/v1${name === 'readinessProbe' ? '/ready' : '/live'}`);
          assert.ok(PROBE_PATHS.includes(path.slice('/operator/v1'.length)));
          assert.equal(port, 'operators');
        }
        const { periodSeconds, failureThreshold } = container.startupProbe ?? assert.fail();
        assert.equal(periodSeconds * failureThreshold, START_SECONDS);
      }
    });
  }

  it('keep the variables away that Kubernetes makes of services, of which PURSER_PORT would be one', () => {
    for (const pod of resources.flatMap(podsOf)) assert.equal(pod.enableServiceLinks, false);
  });
});
