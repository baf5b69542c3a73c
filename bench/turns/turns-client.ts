/** The thread that calls the node, so that what the client does is not in the turns that are measured. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
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

/** What comes of the last of a batch of calls; `bytes` are of all. */
export interface Answer {
  readonly status: number;
  readonly bytes: number;
  /** Its beginning. */
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

parentPort?.on('message', (calls: readonly Call[]) => {
  sendAll(calls).then(
    (answer) => parentPort?.postMessage(answer),
    (error: Error) => parentPort?.postMessage({ status: 0, bytes: 0, text: String(error) }),
  );
});
