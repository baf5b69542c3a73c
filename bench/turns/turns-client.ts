/** The thread that calls the node, so that what the client does is not in the turns that are measured. */
import { randomUUID } from 'node:crypto';
import { Agent, createServer, type IncomingHttpHeaders, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';

export interface Call {
  /** Begins with the port. */
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A text that is sent so many times, or as often as there are calls. */
  readonly body?: string | undefined;
  readonly bodyTimes?: number | undefined;
}

/** The answer to the last call of a batch; `bytes` are of all. */
export interface Answer {
  readonly status: number;
  readonly bytes: number;
  /** The beginning of the body. */
  readonly text: string;
}

const AT_ONCE = 16;
const KEPT_CHARACTERS = 4_096;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

function send({ url, method, headers, body = '', bodyTimes = 1 }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = Buffer.byteLength(body) * bodyTimes;
    const sent: IncomingHttpHeaders = { ...headers, ...(length > 0 && { 'content-length': `${length}` }) };
    const call = request(url, { agent, method, headers: sent }, (response) => {
      let bytes = 0;
      let text = '';
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (text.length < KEPT_CHARACTERS) text += chunk.toString('latin1');
      });
      response.once('end', () => resolve({ status: response.statusCode ?? 0, bytes, text }));
      response.once('error', reject);
    });
    call.once('error', reject);
    void write(call, Buffer.from(body), bodyTimes);
  });
}

async function write(call: ReturnType<typeof request>, part: Buffer, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    if (!call.write(part)) await new Promise((resolve) => call.once('drain', resolve));
  }
  call.end();
}

/** Some at once, over connections that stay open. */
async function sendAll(calls: readonly Call[]): Promise<Answer> {
  let next = 0;
  let bytes = 0;
  let last: Answer = { status: 0, bytes: 0, text: '' };
  const lane = async () => {
    for (let call = calls[next++]; call !== undefined; call = calls[next++]) {
      last = await send(call);
      bytes += last.bytes;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { ...last, bytes };
}

/** SKUs of the supplier: one it delivers later, and one at once. */
export const ITEMS_PENDING = 'pending';
export const ITEMS_NOW = 'now';

/** Answers questions about stock and purchases as it was asked for. */
function supply(sent: string, response: ServerResponse): void {
  const isNow = sent.includes(`"sku":"${ITEMS_NOW}"`);
  const { quantity = 0 } = sent === '' ? {} : (JSON.parse(sent) as { quantity?: number });
  const one = randomUUID();
  const items = Array.from({ length: quantity }, (_, item) => `${one}-${item}`.padEnd(395, '"'));
  response.writeHead(isNow ? 200 : 202, { 'content-type': 'application/json' });
  response.end(JSON.stringify(isNow ? { status: 'delivered', items } : { status: 'pending' }));
}

function startSupplier(): void {
  const server = createServer((call, response) => {
    let sent = '';
    call.on('data', (chunk: Buffer) => {
      sent += chunk.toString();
    });
    call.once('end', () => supply(sent, response));
  });
  server.listen(0, '127.0.0.1', () => {
    parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
}

parentPort?.on('message', (calls: readonly Call[] | 'supplier') => {
  if (calls === 'supplier') return startSupplier();
  sendAll(calls).then(
    (answer) => parentPort?.postMessage(answer),
    (error: Error) => parentPort?.postMessage({ status: 0, bytes: 0, text: String(error) }),
  );
});
