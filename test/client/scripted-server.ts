/**
 * A server on a real socket that answers by a script, one step a request, and remembers what it was sent, to the
 * byte. A request beyond the script's end breaks the connection, and shows in `requests`.
 */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A step that leaves the client waiting calls `timeOut` for the client's time to be over. */
export type Step = (response: ServerResponse, request: SeenRequest, timeOut: () => void) => void;

export class ScriptedServer {
  readonly requests: SeenRequest[] = [];
  readonly #script: Step[];
  readonly #server: Server;

  constructor(script: readonly Step[], timeOut: () => void) {
    this.#script = [...script];
    this.#server = createServer((incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const { method = '', url = '', headers } = incoming;
        const request = { method, path: url, headers, body: Buffer.concat(chunks) };
        this.requests.push(request);
        const step = this.#script.shift() ?? breakOff;
        step(response, request, timeOut);
      });
    });
  }

  /** The base address for a client. */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/v1/buyer`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function json(status: number, body: object, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** An error of the API. */
export function refusal(
  status: number,
  error: string,
  headers: Record<string, string> = {},
  more = {},
): Step {
  return json(
    status,
    { success: false, error, message: `it is ${error}`, requestId: 'req_1', ...more },
    headers,
  );
}

/** The answer of a proxy between a client and Purser when Purser isn't there. */
export function proxyPage(status: number, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/html', ...headers });
    response.end('<h1>Sorry</h1>');
  };
}

/** The connection ends without an answer. */
export const breakOff: Step = (response) => {
  response.socket?.destroy();
};

export const neverAnswer: Step = (_response, _request, timeOut) => timeOut();

/** The head, half of the body, and then nothing more. */
export function halfAnd(end: 'break off' | 'hang' | 'look complete', status: number, body: object): Step {
  return (response, _request, timeOut) => {
    const text = JSON.stringify(body);
    const head = { 'content-type': 'application/json', connection: 'close' };
    const half = text.slice(0, text.length / 2);
    response.writeHead(status, end === 'look complete' ? head : { ...head, 'content-length': text.length });
    response.write(half, () => {
      if (end === 'break off') response.socket?.destroy();
      if (end === 'hang') timeOut();
      if (end === 'look complete') response.end();
    });
  };
}

/** Bytes that are no HTTP. */
export const garbage: Step = (response) => {
  response.socket?.end('SSH-2.0-OpenSSH\r\n');
};
