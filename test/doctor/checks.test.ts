/** The judgement of each check on what it sees: the trouble, and the advice to the operator. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeMoment } from '../../src/doctor/checks/clock.ts';
import { judgeDescriptors } from '../../src/doctor/checks/descriptors.ts';
import { judgeKind, judgeMount, judgePreload, mountOf } from '../../src/doctor/checks/disk-honesty.ts';
import { judgeSync } from '../../src/doctor/checks/disk-sync.ts';
import { judgeAnswers } from '../../src/doctor/checks/dns.ts';
import { judgePid } from '../../src/doctor/checks/init.ts';
import { judgeLog } from '../../src/doctor/checks/log.ts';
import { judgeCopyId } from '../../src/doctor/checks/master-key.ts';
import { judgeFiles, judgeFolder } from '../../src/doctor/checks/permissions.ts';
import { judgeCertificate, judgeListener, judgeOperators } from '../../src/doctor/checks/tls.ts';
import { type Finding, failed, ok, type State, together, warning } from '../../src/doctor/finding.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 9, 31, 12);

const folder = { path: '/data', mode: 0o700, owner: 500, uid: 500, mayWrite: true };
const file = { name: 'stock.mdb', path: '/data/stock.mdb', mode: 0o644, owner: 500, mayWrite: true };
const ofFiles = (...files: (typeof file)[]) => together(judgeFiles(files, 500));
const listener = { host: '0.0.0.0', trustProxy: ['10.0.0.1/32'], url: undefined };
const dnsAnswers = (...codes: (string | undefined)[]) =>
  judgeAnswers(
    codes.map((code, index) => ({ server: `10.0.0.${index}`, host: 'alerts.example', code })),
    ['alerts.example'],
  );

const TABLE: readonly [what: string, finding: Finding, state: State, tells: RegExp][] = [
  ['a disk that cannot be so quick', judgeSync([0.001, 0.002, 0.4]), 'warning', /eatmydata/],
  ['tmpfs', judgeKind(0x01021994), 'failed', /tmpfs.* in memory/],
  ['a container’s layer', judgeKind(0x794c7630), 'warning', /volume/],
  ['no barriers', judgeMount({ at: '/data', options: 'rw,barrier=0' }), 'failed', /\/data .*barrier=0/],
  ['syncs that are left out', judgePreload('/usr/lib/libeatmydata.so'), 'failed', /unset it/],
  ['few descriptors', judgeDescriptors(128), 'failed', /LimitNOFILE/],
  ['the first process of a container', judgePid(1), 'warning', /docker run --init/],
  ['a clock that begins anew', judgeMoment(0, 0), 'failed', /1970.*set it/],
  ['a clock behind the folder', judgeMoment(NOW_MS, NOW_MS + DAY_MS), 'failed', /before you start/],
  ['one of two name servers', dnsAnswers('ETIMEOUT', undefined), 'warning', /10\.0\.0\.0 does not answer/],
  ['no proxy', judgeListener({ ...listener, trustProxy: [] }), 'warning', /--trust-proxy/],
  ['operators in the network', judgeOperators({ operatorHost: '0.0.0.0' }), 'warning', /127\.0\.0\.1/],
  ['a certificate that ends', judgeCertificate('https://a', NOW_MS + 3 * DAY_MS, NOW_MS), 'warning', /renew/],
  ['another key', judgeCopyId('/mnt/key', 'b2', 'a1'), 'failed', /another key, b2/],
  ['a folder’s own log', judgeLog('pg1:5432', 'a', 'a'), 'ok', /pg1:5432 confirms nothing/],
  ['a log before its beginning', judgeLog('pg1:5432', undefined, undefined), 'warning', /cluster init/],
  ['a log of others', judgeLog('pg1:5432', 'b', 'a'), 'failed', /of another cluster/],
  ['a folder that others read', judgeFolder({ ...folder, mode: 0o755 }), 'warning', /chmod 700 \/data/],
  ['a node of root', judgeFolder({ ...folder, owner: 0, uid: 0 }), 'warning', /a user of its own/],
  ['a file of root', ofFiles({ ...file, owner: 0 }), 'failed', /stock\.mdb .*uid 500/],
  ['an open key', ofFiles({ ...file, name: 'master-key', path: '/data/master-key' }), 'failed', /chmod 600/],
];

describe('a check', () => {
  for (const [what, { state, advice }, expected, tells] of TABLE) {
    it(`of ${what} is ${expected}`, () => {
      assert.equal(state, expected, advice);
      assert.match(advice, tells);
      assert.doesNotMatch(advice, /\n|undefined|\.$/);
    });
  }

  it('of several things is as grave as the gravest, which is told first', () => {
    const all = together([ok('a'), warning('b'), failed('c')]);
    assert.deepEqual(all, { state: 'failed', advice: 'c; b' });
    assert.deepEqual(together([ok('a'), ok(''), ok('b')]), { state: 'ok', advice: 'a; b' });
  });
});

describe('what the checks read', () => {
  it('is the mount that a path lies on', () => {
    const table = [
      '22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard',
      '30 22 254:1 / /data rw,nosuid - ext4 /dev/vdb rw,nobarrier',
      '31 22 254:2 / /database rw - ext4 /dev/vdc rw',
    ].join('\n');
    assert.deepEqual(mountOf('/data/shop', table), { at: '/data', options: 'rw,nosuid,rw,nobarrier' });
    assert.deepEqual(mountOf('/database', table)?.at, '/database');
    assert.deepEqual(mountOf('/dat', table)?.at, '/');
    assert.equal(mountOf('/data', ''), undefined);
  });
});
