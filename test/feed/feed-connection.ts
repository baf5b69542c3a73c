/** A connection to GET /feed as a bot would have it: line by line, with the reader's own pace. */
import assert from 'node:assert/strict';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface FeedLine {
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly order?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface FeedServer {
  readonly operatorUrl: string;
  readonly operatorToken: string;
}

export class FeedConnection {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The blank lines that came. */
  blanks = 0;
  readonly #request: ClientRequest;
  readonly #response: IncomingMessage;
  readonly #lines: AsyncIterator<FeedLine>;

  private constructor(outgoing: ClientRequest, response: IncomingMessage) {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.#request = outgoing;
    this.#response = response;
    this.#lines = this.#read();
  }

  /** Resolves with the answer's head, whatever it says. */
  static open({ operatorUrl, operatorToken }: FeedServer, query: string): Promise<FeedConnection> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${operatorToken}` };
      const outgoing = request(`${operatorUrl}/feed${query}`, { headers, agent: false });
      outgoing.on('response', (response) => resolve(new FeedConnection(outgoing, response)));
      outgoing.on('error', reject);
      outgoing.end();
    });
  }

  static async after(server: FeedServer, seq: number): Promise<FeedConnection> {
    const connection = await FeedConnection.open(server, `?after=${seq}`);
    assert.equal(connection.status, 200);
    return connection;
  }

  /** The next line; undefined when the server has ended the feed. Throws when the connection breaks. */
  async next(): Promise<FeedLine | undefined> {
    const { done, value } = await this.#lines.next();
    return done === true ? undefined : value;
  }

  /** Lines up to the one with this `seq`. */
  async through(seq: number): Promise<FeedLine[]> {
    const lines: FeedLine[] = [];
    while (lines.at(-1)?.seq !== seq) lines.push((await this.next()) ?? assert.fail('the feed has ended'));
    return lines;
  }

  /** The body of an answer that is no feed. */
  async body(): Promise<Readonly<Record<string, unknown>>> {
    return JSON.parse(await text(this.#response)) as Record<string, unknown>;
  }

  close(): void {
    this.#request.destroy();
  }

  async *#read(): AsyncIterator<FeedLine> {
    this.#response.setEncoding('utf8');
    let rest = '';
    for await (const chunk of this.#response) {
      const lines = (rest + (chunk as string)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') this.blanks += 1;
        else yield JSON.parse(line) as FeedLine;
      }
    }
    assert.equal(rest, '', 'the feed ends behind a whole line');
  }
}
