/** A listener of uWebSockets.js without room for connections, when its certificate is renewed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TlsIdentity } from '../../../src/http/transport/tls-identity.ts';
import type { ListenOptions } from '../../../src/http/transport/transport.ts';
import { UwsListener } from '../../../src/http/transport/uws.ts';
import type { UwsBinding } from '../../../src/http/transport/uws-binding.ts';

const identityOf = (certFile: string) => ({ certFile, keyFile: '' }) as TlsIdentity;

test('it rests with the newest certificate alone, also when the one before has not ended yet', async (t) => {
  /** The certificates that connections are shown. */
  const shown = new Set<string>();
  const uws = {
    LIBUS_LISTEN_EXCLUSIVE_PORT: 1,
    SSLApp: ({ cert_file_name: certificate }: { cert_file_name: string }) => ({
      filter: () => {},
      any: () => {},
      close: () => {},
      listen: (_host: string, _port: number, _sharing: number, done: (socket: string) => void) => {
        shown.add(certificate);
        done(certificate);
      },
    }),
    us_listen_socket_close: (certificate: string) => shown.delete(certificate),
    us_socket_local_port: () => 1,
  } as unknown as UwsBinding;
  let hasRoom: (hasRoom: boolean) => void = () => assert.fail('no room is asked for');
  const options = { host: '127.0.0.1', port: 0, tls: identityOf('first') } as unknown as ListenOptions;
  const listener = new UwsListener(uws, options, (onChange) => {
    hasRoom = onChange;
    return { start: () => {}, stop: () => {}, taken: () => {}, missed: () => {} };
  });
  await listener.listen();
  t.after(() => listener.stop(0));
  listener.renew(identityOf('second'));
  assert.deepEqual([...shown], ['first', 'second']);
  hasRoom(false);
  assert.deepEqual([...shown], []);
  hasRoom(true);
  assert.deepEqual([...shown], ['second']);
  hasRoom(false);
  listener.renew(identityOf('third'));
  hasRoom(true);
  assert.deepEqual([...shown], ['third']);
});
