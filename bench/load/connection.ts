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

interface ConnectionEvents {
  readonly onReply: OnReply;
  /** The connection broke or was closed by the server. */
  readonly onBreak: (error: Error) => void;
  /**
   * Called when the peer answered something that isn't HTTP, or `onReply` threw. Only one of the two is called, once,
   * never after `close`.
   */
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
      const end = (error: Error, tell: (error: Error) => void): void => {
        if (connection === undefined) reject(error);
        else connection.#end(error, tell);
      };
      const fail = (error: Error): void => end(error, events.onFailure);
      const lose = (error: Error): void => end(error, events.onBreak);
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
      socket.setTimeout(connectTimeoutMs, () => lose(new Error(`no connection to ${host}:${port}`)));
      socket.on('error', lose);
      socket.on('close', () => lose(new Error('the server closed a connection of the load generator')));
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

  #end(error: Error, tell: (error: Error) => void): void {
    if (this.#closed) return;
    this.close();
    tell(error);
  }
}
