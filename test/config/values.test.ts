/** Values of settings: how they may be spelt, and what is said of one that is not accepted. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError } from '../../src/config/config-error.ts';
import type { OPTIONS } from '../../src/config/options.ts';
import { load, type Sources } from './settings-under-test.ts';

describe('accepted spellings', () => {
  const spellings: [option: string, text: string, field: keyof typeof OPTIONS, value: unknown][] = [
    ['webhookAllow', '127.0.0.1, ::1', 'webhookAllow', ['127.0.0.1/32', '::1/128']],
    ['trustProxy', '::ffff:10.0.0.0/104', 'trustProxy', ['::ffff:10.0.0.0/104']],
    ['webhookRetries', 'none', 'webhookRetriesMs', []],
    ['dnsServer', '1.1.1.1', 'dnsServer', '1.1.1.1:53'],
    ['dnsServer', '[::1]:5353', 'dnsServer', '[::1]:5353'],
    [
      'alertUrl',
      'operations=http://a/x?to=b,c, buyer=https://b,http://c/,d',
      'alertTargets',
      [
        { url: 'http://a/x?to=b,c', class: 'operations' },
        { url: 'https://b/', class: 'buyer' },
        { url: 'http://c/,d', class: undefined },
      ],
    ],
    ['diskLow', '0.5%', 'diskLowPercent', 0.5],
    ['depositAddress', 'trc20=T1', 'depositAddresses', [{ network: 'trc20', address: 'T1' }]],
  ];
  for (const [option, text, field, value] of spellings)
    it(`${option} ${text}`, () => assert.deepEqual(load({ flags: { [option]: text } })[field], value));
});

describe('a value that is not accepted', () => {
  const refused: [sources: Sources, ...says: string[]][] = [
    [{ flags: { port: '65536' } }, 'option port', 'flag --port', '"65536"', 'whole number from 0'],
    [{ env: { PURSER_PORT: '80 ' } }, 'option port', 'environment PURSER_PORT', '"80 "'],
    [{ file: { port: 1.5 } }, 'option port', 'file purser.json, key port', '1.5'],
    [{ flags: { data: '' } }, 'option data', '""', 'path of a folder'],
    [{ flags: { host: '127.0.0.1:80' } }, 'option host', '"127.0.0.1:80"', 'without port'],
    [{ flags: { operatorName: 'https://purser.example' } }, 'option operator-name', 'without scheme'],
    [{ env: { PURSER_DEMO: 'yes' } }, 'option demo', 'PURSER_DEMO', '"yes"', 'true or false'],
    [{ flags: { transport: 'http2' } }, 'option transport', '"http2"', 'auto, uws, node'],
    [{ flags: { webhookAllow: '10.0.0.0/33' } }, 'option webhook-allow', '"10.0.0.0/33"', '10.0.0.0/8'],
    [{ flags: { trustProxy: 'fe80::1%eth0' } }, 'option trust-proxy', 'fe80::1%eth0'],
    [{ file: { trustProxy: ['10.0.0.0/8', 7] } }, 'option trust-proxy', '["10.0.0.0/8",7]'],
    [{ flags: { dnsServer: 'dns.example:53' } }, 'option dns-server', 'an IP address'],
    [{ flags: { webhookTimeout: '10' } }, 'option webhook-timeout', '"10"', '1ms to 10m'],
    [{ flags: { webhookRetries: '1m,5' } }, 'option webhook-retries', '"1m,5"', 'separated by commas'],
    [{ flags: { webhookRetries: new Array(21).fill('1s').join(',') } }, 'option webhook-retries', 'up to 20'],
    [{ flags: { log: 'postgres://a:hush@db/shop' } }, 'option log', 'without a password'],
    [{ flags: { node: 'Node 1' } }, 'option node', '"Node 1"', 'a-z, 0-9'],
    [{ flags: { url: 'https://shop.example/api' } }, 'option url', 'without user, path'],
    [{ flags: { alertUrl: 'ftp://example.org' } }, 'option alert-url', 'http or https'],
    [{ flags: { alertUrl: 'https://u:p@example.org' } }, 'option alert-url', 'without user'],
    [{ flags: { alertUrl: 'http://a,operation=http://b' } }, 'option alert-url', 'operation=http://b'],
    [{ flags: { alertUrl: new Array(17).fill('http://a') } }, 'option alert-url', 'up to 16'],
    [{ flags: { alertSecret: 'hush' } }, 'option alert-secret', 'not shown', '16 to 512'],
    [{ file: { alertSecret: 'hush' } }, 'option alert-secret', 'not shown'],
    [{ flags: { diskLow: '10' } }, 'option disk-low', '"10"', 'such as 10%'],
    [{ flags: { manualOverdue: '0s' } }, 'option manual-overdue', '"0s"', '1s to 365d'],
    [{ flags: { port: '8081' } }, 'port and operator-port', '8081', 'two different ports'],
    [{ file: { prot: 1 } }, 'file purser.json', '"prot"', 'not an option'],
    [{ file: { operatorToken: 'x' } }, '"operatorToken"', 'not an option'],
    [{ file: '{"__proto__": {}}' }, '"__proto__"', 'not an option'],
    [{ file: { operatorPort: 1, 'operator-port': 2 } }, 'operator-port', 'twice', 'operatorPort'],
    [{ file: '{' }, 'option config', 'flag --config', '"purser.json"', 'JSON'],
    [{ file: '{\n "port": 1,\n "alertSecret": hush-hush-hush-hush\n}' }, 'is not JSON from line 3 on'],
    [{ file: '{\n "alertSecret": "hush-hush-hush"\n "port": 1\n}' }, 'is not JSON from line 3 on'],
    [{ file: '["hush"]' }, 'option config', 'holds an array', 'one JSON object'],
    [{ file: '"hush"' }, 'option config', 'holds a string'],
    [{ flags: { alertUrl: 'https://u:hush@example.org' } }, 'option alert-url', '"https://example.org"'],
    [{ flags: { config: 'absent.json' } }, 'option config', 'flag --config', 'absent.json', 'ENOENT'],
  ];
  for (const [sources, ...says] of refused) {
    it(`is named on one line: ${JSON.stringify(sources)}`, () => {
      assert.throws(
        () => load(sources),
        (error) => {
          assert.ok(error instanceof ConfigError);
          for (const part of says) assert.ok(error.message.includes(part), `${part} in: ${error.message}`);
          assert.ok(!/\n|hush/.test(error.message));
          return true;
        },
      );
    });
  }

  it('does not matter when a stronger source wins, but an unknown key in the file does', () => {
    assert.equal(load({ flags: { port: '1' }, env: { PURSER_PORT: 'bad' } }).port, 1);
    assert.throws(() => load({ flags: { port: '1' }, file: { nonsense: 1 } }), ConfigError);
  });
});
