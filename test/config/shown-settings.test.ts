/**
 * The settings that are told, by the log and to the owner: as they are in force, where they are from, and no secret.
 */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';
import { OPTIONS } from '../../src/config/options.ts';
import { givenSettings, shownSettings } from '../../src/config/shown-settings.ts';

const SECRET = 'a-secret-of-16-or-more';
const PLAIN = { data: 'shop', webhookRetries: '60s,5m' };
const ENV = { PURSER_PORT: '0009', PURSER_ALERT_SECRET: SECRET, PURSER_OPERATOR_TOKEN: SECRET };

function shown(flags: Record<string, string>, env: Record<string, string>, file: object) {
  const config = loadConfig({ config: 'purser.json', ...flags }, env, () => JSON.stringify(file));
  return new Map(shownSettings(config).map((setting) => [setting.name, setting]));
}

const cases: [name: string, value: string | null, source: string][] = [
  ['data', resolve('shop'), 'flag'],
  ['port', '9', 'environment'],
  ['disk-low', '5%', 'file'],
  ['trust-proxy', '10.0.0.0/8,::1', 'file'],
  ['transport', 'auto', 'default'],
  ['backup', null, 'default'],
];
test('settings are shown as they are in force, and where they are from', () => {
  const file = { 'disk-low': '5%', trustProxy: ['10.0.0.0/8', '::1'], demo: true, port: 7 };
  const all = shown(PLAIN, ENV, file);
  for (const [name, value, source] of cases) {
    const env = `PURSER_${name.toUpperCase().replaceAll('-', '_')}`;
    assert.deepEqual(all.get(name), { name, env, value, source });
  }
});

test('all are there but secrets, and of URLs there is no more than the host', () => {
  const alertUrl = `https://hooks.example/${SECRET}?and=${SECRET}`;
  const all = shown({ ...PLAIN, alertUrl }, ENV, {});
  const plain = Object.values(OPTIONS).filter(({ kind }) => kind.isSecret !== true);
  assert.deepEqual(
    [...all.keys()],
    plain.map(({ name }) => name),
  );
  assert.equal(all.get('alert-url')?.value, 'https://hooks.example');
  assert.ok(!JSON.stringify([...all.values()]).includes(SECRET));
});

test('the log has what was given, as it is in force, and no secret', () => {
  const told = (flags: Record<string, string>, env: Record<string, string> = {}) =>
    givenSettings(loadConfig(flags, env, () => ''));
  assert.deepEqual(told({}), { data: resolve('data') });
  assert.deepEqual(told({ data: '/data', port: '9' }, { PURSER_TRUST_PROXY: '10.0.0.0/8' }), {
    data: '/data',
    port: '9',
    'trust-proxy': '10.0.0.0/8',
  });
  const masterKey = Buffer.alloc(32, SECRET).toString('base64');
  const alertUrl = `https://hooks.example/${SECRET}?and=${SECRET}`;
  const text = JSON.stringify(told({ alertUrl }, { ...ENV, PURSER_MASTER_KEY: masterKey }));
  assert.match(text, /https:\/\/hooks\.example"/);
  assert.ok(!text.includes(SECRET) && !text.includes(masterKey));
});
