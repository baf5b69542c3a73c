/**
 * An operator API that answers what the test tells it to and remembers what it was asked, over a real socket;
 * and the command line, run in this process or as one of its own.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, before, beforeEach, type TestContext } from 'node:test';
import { run } from '../../src/cli/program.ts';

export const TOKEN = 'op_test_token';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Whole when short; of a long body only the digest is kept. */
  readonly body: string;
  readonly bodySha256: string;
}

export interface FakeAnswer {
  readonly status: number;
  readonly body: unknown;
  /** Answers before the body was read, and says no more. */
  readonly isEarly?: boolean;
}

export const OK: FakeAnswer = { status: 200, body: { success: true, requestId: 'req_1' } };
const MAX_KEPT_BODY_BYTES = 65_536;

export class FakeOperator {
  readonly seen: SeenRequest[] = [];
  answer: FakeAnswer = OK;
  /** Answers for the next requests, before `answer`. */
  answers: FakeAnswer[] = [];
  #server: Server | undefined;

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      // A command that gives up in the middle of its request has nothing to be answered.
      this.#reply(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.#server = server;
  }

  get url(): string {
    const address = this.#server?.address();
    if (typeof address !== 'object' || address === null) throw new Error('the fake operator is not started');
    return `http://127.0.0.1:${address.port}/operator/v1`;
  }

  /** Where a command finds it. */
  get env() {
    return { PURSER_OPERATOR_URL: this.url, PURSER_OPERATOR_TOKEN: TOKEN };
  }

  get last(): SeenRequest {
    const request = this.seen.at(-1);
    if (request === undefined) throw new Error('the fake operator was not asked anything');
    return request;
  }

  async #reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body, isEarly = false } = this.answers.shift() ?? this.answer;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    if (isEarly) return answerEarly(request, status, text);
    this.seen.push(await readRequest(request));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(text);
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/**
 * Ends what it says, and reads on, as Purser does: node's own `connection: close` would reset the connection under
 * who still sends, and may take the answer with it.
 */
function answerEarly(request: IncomingMessage, status: number, text: string): void {
  const head = [
    `HTTP/1.1 ${status} Early`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    'connection: close',
  ];
  request.resume();
  request.socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}

async function readRequest(request: IncomingMessage): Promise<SeenRequest> {
  const digest = createHash('sha256');
  const kept: Buffer[] = [];
  let bodyBytes = 0;
  for await (const chunk of request) {
    digest.update(chunk);
    bodyBytes += chunk.length;
    if (bodyBytes <= MAX_KEPT_BODY_BYTES) kept.push(chunk);
  }
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: Buffer.concat(kept).toString('utf8'),
    bodySha256: digest.digest('hex'),
  };
}

/** A TCP server that does `onConnection` to whoever comes. */
export async function listen(onConnection: (socket: Socket) => void) {
  const server = createTcpServer(onConnection);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

export interface Outcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliSetting {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Readable;
  readonly isTerminal?: boolean;
  /** Whether standard input is a terminal: what it holds are a person's answers. */
  readonly isAnswered?: boolean;
}

/** Runs a command line in this process. */
export async function purser(args: readonly string[], setting: CliSetting = {}): Promise<Outcome> {
  const stdout = collector(false);
  const stderr = collector(setting.isTerminal ?? false);
  const { stdin: input = '' } = setting;
  const stdin = typeof input === 'string' ? Readable.from([Buffer.from(input)]) : input;
  const isTTY = setting.isAnswered ?? false;
  const env = setting.env ?? {};
  const exitCode = await run(args, { env, stdin: Object.assign(stdin, { isTTY }), stdout, stderr });
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

/** The operator API of the `describe` that calls it, and a command line that finds it. */
export function operatorForTests(usual: FakeAnswer = OK) {
  const operator = new FakeOperator();
  before(() => operator.start());
  after(() => operator.stop());
  beforeEach(() => {
    operator.seen.length = 0;
    operator.answers = [];
    operator.answer = usual;
  });
  const call = (args: string | readonly string[], setting: CliSetting = {}) =>
    purser(typeof args === 'string' ? args.split(' ') : args, { ...setting, env: operator.env });
  return { operator, call };
}

function collector(isTTY: boolean) {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return Object.assign(stream, { isTTY, columns: 120, text: () => chunks.join('') });
}

export interface ProcessSetting {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly onStderr?: (text: string) => void;
}

/** Runs a program to its end in its own process, with nothing of PURSER_… inherited. */
export async function runProcess(
  command: string,
  args: readonly string[],
  { env = {}, stdin = '', onStderr }: ProcessSetting = {},
): Promise<Outcome> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(PURSER_|UV_|NODE_)/.test(name));
  const child = spawn(command, [...args], { env: { ...Object.fromEntries(inherited), ...env } });
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (onStderr !== undefined) child.stderr.on('data', (chunk) => onStderr(String(chunk)));
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const [exitCode, stdout, stderr] = await Promise.all([exited, text(child.stdout), text(child.stderr)]);
  return { exitCode, stdout, stderr };
}

/** An empty folder that is gone after the test. */
export function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'purser-cli-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
