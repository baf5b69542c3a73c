/**
 * One keep-alive connection of the load generator: a raw socket with a fixed receive buffer.
 *
 * `onread` hands bytes over without a stream, an event or an allocation per read. An HTTP client would bring
 * headers, agents and promises for every request, and on two cores the server would pay for them.
 */
import { connect, type Socket } from 'node:net';
import { type OnReply, ReplyParser } from './reply-parser.ts';

/** A reply is about 500 bytes; a longer one is read in pieces. */
const receiveBytes = 4096;
const connectTimeoutMs = 10_000;

export interface ConnectionEvents {
  readonly onReply: OnReply;
  /** The connection broke, closed, or answered something that isn't HTTP. Called at most once, never after `close`. */
  readonly onFailure: (error: Error) => void;
}

export class Connection {
  readonly #socket: Socket;
  #closed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static open(host: string, port: number, events: ConnectionEvents): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const parser = new ReplyParser(events.onReply);
      let connection: Connection | undefined;
      const fail = (error: Error): void => {
        if (connection === undefined) reject(error);
        else connection.#fail(error, events);
      };
      const socket = connect({
        host,
        port,
        noDelay: true,
        onread: {
          buffer: Buffer.allocUnsafeSlow(receiveBytes),
          callback: (length, bytes) => {
            try {
              parser.push(bytes as Buffer, length);
            } catch (error) {
              fail(error as Error);
            }
            return true;
          },
        },
      });
      socket.setTimeout(connectTimeoutMs, () => fail(new Error(`no connection to ${host}:${port}`)));
      socket.on('error', fail);
      socket.on('close', () => fail(new Error('the server closed a connection of the load generator')));
      socket.on('connect', () => {
        socket.setTimeout(0);
        connection = new Connection(socket);
        resolve(connection);
      });
    });
  }

  /** `bytes` must stay unchanged until the reply has arrived. */
  send(bytes: Buffer): void {
    this.#socket.write(bytes);
  }

  close(): void {
    this.#closed = true;
    this.#socket.destroy();
  }

  #fail(error: Error, events: ConnectionEvents): void {
    if (this.#closed) return;
    this.close();
    events.onFailure(error);
  }
}
