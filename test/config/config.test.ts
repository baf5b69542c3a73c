/** Settings: where they come from, which source wins, and what is said about a value that is not accepted. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { Command } from 'commander';
import { addNodeOptions } from '../../src/cli/node-options.ts';
import { refuseHalfCluster } from '../../src/config/cluster-options.ts';
import { type Flags, loadConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/config/config-error.ts';
import { OPTIONS } from '../../src/config/options.ts';
import { refuseHalfTls } from '../../src/config/tls-options.ts';
import { formatDuration, parseDuration } from '../../src/shared/duration.ts';
import { load, type Sources } from './settings-under-test.ts';

/** A value of each option that isn't its default. */
const SAMPLES = `
data=/srv/purser host=localhost port=18080 operator-host=::1 operator-port=18081
operator-name=purser.example,shop.internal demo=true transport=node webhook-allow=10.0.0.0/8,fd00::/8
dns-server=127.0.0.1:5353 trust-proxy=127.0.0.1 webhook-timeout=3s webhook-retries=10ms,20ms
webhook-history=36h group-window=0s supplier-timeout=1s supplier-poll=50ms supplier-stock-refresh=2m
low-balance-limit=0 metrics-products=0 alert-url=http://alerts.internal:9/x
access-log=/var/log/access.log
tls-cert=/etc/purser/shop.crt tls-key=/etc/purser/shop.key backup=s3://bucket/shop backup-interval=5s
backup-base=12h backup-keep=7d backup-drill=0s alert-secret=sixteen-letters! disk-low=5%
manual-overdue=36h outbox-behind=10m log-level=debug log=postgres://purser@db1:5432,db2/shop node=a
url=https://a.shop.example log-password-file=/etc/purser/password
deposit-address=trc20=T1,erc20=0x2 deposit-window=2h deposit-confirmations=0 deposit-silence=0s
`;

it('a duration is read and written with its unit', () => {
  const written: [text: string, durationMs: number | undefined][] = [
    ['100ms', 100],
    ['0s', 0],
    ['7d', 604_800_000],
    ['99999999d', 99_999_999 * 86_400_000],
    ...['10', '', '1.5s', '1 s', '1m30s', '1000000000h'].map((text): [string, undefined] => [
      text,
      undefined,
    ]),
  ];
  for (const [text, durationMs] of written) {
    assert.equal(parseDuration(text), durationMs, text);
    if (durationMs !== undefined) assert.equal(parseDuration(formatDuration(durationMs)), durationMs);
  }
  assert.equal(formatDuration(1_500), '1500ms');
  assert.throws(() => formatDuration(0.5), RangeError);
});

describe('settings without any source', () => {
  it('are the documented defaults', () => {
    const { written: _, ...settings } = load({});
    assert.deepEqual(settings, {
      dataDir: resolve('data'),
      host: '127.0.0.1',
      port: 8080,
      operatorHost: '127.0.0.1',
      operatorPort: 8081,
      operatorNames: [],
      demo: false,
      transport: 'auto',
      webhookAllow: [],
      dnsServer: undefined,
      trustProxy: [],
      webhookTimeoutMs: 10_000,
      webhookRetriesMs: [60_000, 300_000, 1_800_000, 21_600_000],
      webhookHistoryMs: 604_800_000,
      groupWindowMs: 1_000,
      supplierTimeoutMs: 15_000,
      supplierPollMs: 5_000,
      supplierStockRefreshMs: 10_000,
      lowBalanceLimit: 30,
      accessLog: undefined,
      tlsCert: undefined,
      tlsKey: undefined,
      backup: undefined,
      backupIntervalMs: 1_000,
      backupBaseMs: 86_400_000,
      backupKeepMs: 2_592_000_000,
      backupDrillMs: 86_400_000,
      metricsProducts: 1_000,
      alertTargets: [],
      alertSecret: undefined,
      depositAddresses: [],
      depositWindowMs: 3_600_000,
      depositConfirmations: 20,
      depositSilenceMs: 21_600_000,
      diskLowPercent: 10,
      manualOverdueMs: 86_400_000,
      outboxBehindMs: 7_200_000,
      logLevel: 'info',
      log: undefined,
      node: undefined,
      url: undefined,
      logPasswordFile: undefined,
      operatorToken: undefined,
      masterKey: undefined,
      warning: undefined,
    });
  });
});

describe('sources', () => {
  const precedence: [what: string, sources: Sources, port: number][] = [
    [
      'a flag wins over environment and file',
      { flags: { port: '1' }, env: { PURSER_PORT: '2' }, file: { port: 3 } },
      1,
    ],
    ['the environment wins over the file', { env: { PURSER_PORT: '2' }, file: { port: 3 } }, 2],
    ['the file wins over the default', { file: { port: 3 } }, 3],
    ['an empty variable counts as not set', { env: { PURSER_PORT: '' }, file: { port: 3 } }, 3],
    ['port 0 is a value like any other', { flags: { port: '0' }, env: { PURSER_PORT: '2' } }, 0],
  ];
  for (const [what, sources, port] of precedence) it(what, () => assert.equal(load(sources).port, port));

  it('have switches, which any source may turn on or off', () => {
    for (const [flag, env, demo] of [
      [true, undefined, true],
      [undefined, 'true', true],
      [undefined, 'false', false],
      [false, 'true', false],
    ] as const)
      assert.equal(load({ flags: { demo: flag }, env: { PURSER_DEMO: env } }).demo, demo, `${flag}, ${env}`);
  });

  it('name every option three ways that all lead to the same setting', () => {
    const samples = Object.fromEntries(
      SAMPLES.trim()
        .split(/\s+/)
        .map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const),
    );
    assert.deepEqual(
      Object.keys(samples).sort(),
      Object.values(OPTIONS)
        .map(({ name }) => name)
        .sort(),
    );
    const defaults = load({});
    for (const [field, { name, camelName, env }] of Object.entries(OPTIONS)) {
      const sample = samples[name] ?? '';
      const found = [
        { flags: { [camelName]: sample } },
        { env: { [env]: sample } },
        { file: { [camelName]: sample } },
        { file: { [name]: sample } },
      ].map((source) => Reflect.get(load(source), field));
      assert.notDeepEqual(found[0], Reflect.get(defaults, field), `${name}: the sample is not the default`);
      for (const value of found) assert.deepEqual(value, found[0], name);
    }
    assert.equal(OPTIONS.operatorPort.env, 'PURSER_OPERATOR_PORT');
    assert.equal(OPTIONS.supplierStockRefreshMs.camelName, 'supplierStockRefresh');
  });

  it('of the file may use the JSON type that fits', () => {
    const config = load({
      file: { port: 0, demo: true, trustProxy: ['10.0.0.0/8', '::1'], 'webhook-retries': [] },
    });
    assert.equal(config.port, 0);
    assert.equal(config.demo, true);
    assert.deepEqual(config.trustProxy, ['10.0.0.0/8', '::1/128']);
    assert.deepEqual(config.webhookRetriesMs, []);
  });

  it('of alert URLs are one, several flags, or a list', () => {
    const urls = ['http://a/', 'operations=http://b/'];
    const expected = [
      { url: 'http://a/', class: undefined },
      { url: 'http://b/', class: 'operations' },
    ];
    const lists: Sources[] = [
      { flags: { alertUrl: urls } },
      { env: { PURSER_ALERT_URL: urls.join(', ') } },
      { file: { alertUrl: urls } },
      { file: { 'alert-url': urls.join(',') } },
    ];
    for (const list of lists) assert.deepEqual(load(list).alertTargets, expected, JSON.stringify(list));
  });

  it('of every list are one, several flags, or a list', () => {
    const expected = ['10.0.0.0/8', '::1/128'];
    const command = addNodeOptions(new Command()).exitOverride();
    const flags = ['--trust-proxy', '10.0.0.0/8', '--trust-proxy', '::1', '--deposit-address', 'trc20=T1'];
    command.parse([...flags, '--deposit-address', 'trc20=T2'], { from: 'user' });
    const { trustProxy, depositAddresses } = load({ flags: command.opts() });
    const addresses = depositAddresses.map(({ address }) => address);
    assert.deepEqual([trustProxy, addresses], [expected, ['T1', 'T2']]);
  });

  it('include PURSER_CONFIG for the path of the file, which --config overrides', () => {
    const read = (path: string) => `\ufeff${JSON.stringify({ port: path === 'a.json' ? 1 : 2 })}`;
    assert.equal(loadConfig({}, { PURSER_CONFIG: 'a.json' }, read).port, 1);
    assert.equal(loadConfig({ config: 'b.json' }, { PURSER_CONFIG: 'a.json' }, read).port, 2);
  });
});

describe('secrets', () => {
  const masterKey = Buffer.alloc(32, 7).toString('base64');

  it('come from the environment, never from flags', () => {
    const ofEnv = load({ env: { PURSER_OPERATOR_TOKEN: 'op_secret', PURSER_MASTER_KEY: masterKey } });
    assert.deepEqual([ofEnv.operatorToken, ofEnv.masterKey], ['op_secret', masterKey]);
    const ofFlags = load({ flags: { operatorToken: 'op_secret', masterKey } });
    assert.deepEqual([ofFlags.operatorToken, ofFlags.masterKey], [undefined, undefined]);
  });

  it('are named and not shown when refused', () => {
    for (const [name, value] of [
      ['PURSER_OPERATOR_TOKEN', 'hush hush'],
      ['PURSER_MASTER_KEY', 'hush'],
      ['PURSER_MASTER_KEY', Buffer.alloc(31).toString('base64')],
      ['PURSER_MASTER_KEY', Buffer.alloc(64).toString('base64')],
    ] as const)
      assert.throws(
        () => load({ env: { [name]: value } }),
        (error) =>
          error instanceof ConfigError && error.message.includes(name) && !error.message.includes(value),
      );
  });
});

describe('variables that nothing reads', () => {
  const ours = {
    PURSER_OPERATOR_URL: 'x',
    PURSER_CONFIG: '',
    PURSER_PORT: '',
    PURSER_TEST_SEED: '7',
    PURSE: '1',
  };
  const odd: [env: Record<string, string>, named?: string][] = [
    [ours],
    [{ PURSER_MASTERKEY: 'secret' }, 'PURSER_MASTERKEY'],
    [{ PURSER_ZZZZZZZZ: '', PURSER_DATTA: '' }, 'PURSER_DATTA, PURSER_ZZZZZZZZ'],
  ];
  for (const [env, named] of odd)
    it(`are ${named ?? 'none'}`, () => {
      const expected =
        named &&
        `the environment has variables that mean nothing to Purser: ${named} (purser --help names all that do)`;
      assert.equal(load({ env }).warning, expected);
    });
});

describe('options that go together', () => {
  const whole = { log: 'postgres://purser@db/shop', node: 'a', url: 'https://a.shop.example' };
  const cases: readonly [options: Flags, says?: RegExp][] = [
    [{}],
    [{ tlsCert: 'a', tlsKey: 'b' }],
    [{ tlsCert: 'a' }, /tls-key is missing; expected both or none/],
    [{ tlsKey: 'b' }, /tls-cert is missing; expected both or none/],
    [{ ...whole, logPasswordFile: '/etc/purser/password' }],
    [{ log: whole.log }, /node and url is missing; expected all three or none/],
    [{ node: 'a', url: whole.url }, /log is missing/],
    [{ logPasswordFile: '/etc/purser/password' }, /log-password-file is given without them/],
    [{ ...whole, demo: true }, /a demo has its log alone/],
  ];
  for (const [flags, says] of cases)
    it(`${Object.keys(flags).join(', ') || 'none'}: ${says === undefined ? 'accepted' : 'refused'}`, () => {
      const check = () => {
        refuseHalfTls(load({ flags }));
        refuseHalfCluster(load({ flags }));
      };
      if (says === undefined) check();
      else assert.throws(check, says);
    });
});
