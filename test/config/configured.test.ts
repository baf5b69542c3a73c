/** What a node says of its configuration: what differs from the defaults, and no secret. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../src/config/config.ts';
import { configured } from '../../src/config/configured.ts';

function shown(flags: Record<string, string>, env: Record<string, string> = {}) {
  return configured(loadConfig({ data: '/data', ...flags }, env, () => ''));
}

test('the data folder alone, when everything else is as it is by default', () => {
  assert.deepEqual(shown({}), { dataDir: '/data' });
  assert.deepEqual(shown({ port: '8080', webhookRetries: '60s,5m,30m,6h' }), { dataDir: '/data' });
});

test('what differs, wherever it was written, under a name that ends with its unit', () => {
  assert.deepEqual(shown({ port: '9', webhookRetries: '1s' }, { PURSER_TRUST_PROXY: '10.0.0.0/8' }), {
    dataDir: '/data',
    port: 9,
    trustProxy: ['10.0.0.0/8'],
    webhookRetriesMs: [1_000],
  });
});

test('no token, no key, and of a URL no more than its host', () => {
  const env = {
    PURSER_OPERATOR_TOKEN: 'a-secret-token',
    PURSER_MASTER_KEY: Buffer.alloc(32, 'a-secret-key').toString('base64'),
  };
  const text = JSON.stringify(shown({ alertUrl: 'https://hooks.example/a-secret/path?and=a-secret' }, env));
  assert.match(text, /https:\/\/hooks\.example"/);
  assert.doesNotMatch(text, /secret|YS1z/);
});
