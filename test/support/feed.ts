import type { Socket } from 'node:net';

/**
 * Sends on until the connection ends. Never by a timer: on a machine that stood still, one would write to a connection
 * that was closed meanwhile, and lose the answer that waits to be read.
 */
export function feed(socket: Socket): void {
  socket.write(Buffer.alloc(256 * 1024), (error) => {
    if (error === null || error === undefined) feed(socket);
  });
}
