/** Between a bot and the operator API: each call passes a gate, at which a test may end the bot or the connection. */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Gate } from '../../support/telegram/moment.ts';

export class OperatorProxy {
  gate: Gate = () => undefined;
  readonly #target: URL;
  readonly #server: Server;

  private constructor(target: URL) {
    this.#target = target;
    this.#server = createServer((incoming, response) => {
      this.#handle(incoming, response).catch(() => response.destroy());
    });
  }

  /** `operatorUrl` ends with `/operator/v1`, as the proxy's does. */
  static async start(operatorUrl: string): Promise<OperatorProxy> {
    const proxy = new OperatorProxy(new URL(operatorUrl));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#target.pathname}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const step = stepOf(incoming);
    const body = await bytesOf(incoming);
    if (this.gate(step, 'asked') === 'cut') return void response.destroy();
    const { method, url: path, headers } = incoming;
    const outgoing = request({ host: this.#target.hostname, port: this.#target.port, method, path, headers });
    response.once('close', () => outgoing.destroy());
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve);
      outgoing.once('error', reject);
      outgoing.end(body);
    });
    // The feed has no end: its lines go on as they come.
    const isStream = reply.headers['content-length'] === undefined;
    const bytes = isStream ? undefined : await bytesOf(reply);
    if (response.destroyed || this.gate(step, 'carried out') === 'cut') return void response.destroy();
    response.once('finish', () => this.gate(step, 'answered'));
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    if (bytes !== undefined) return void response.end(bytes);
    reply.on('error', () => response.destroy());
    reply.on('data', () => {
      if (this.gate(`${step} line`, 'carried out') === 'cut') response.destroy();
    });
    reply.pipe(response);
  }
}

/** Such as `POST /orders/{id}/pay`. */
function stepOf({ method, url = '' }: IncomingMessage): string {
  const [path = ''] = url.replace('/operator/v1', '').split('?');
  return `${method} ${path.replaceAll(/\/\d+/g, '/{id}')}`;
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
