/**
 * An S3 store in this process that fails as it is told.
 *
 *     const store = await startFaultyS3();
 *     const target = openTarget(store.url, store.env, { makesFolder: false });
 *     const end = store.fail('slowDown', { on: 'PUT', times: 3 });
 *     store.objects.get('log/000001/000000000001-1.chunk');    // what it has, by names below `store.url`
 *     end();                                                   // or store.mend(), which ends all faults
 *
 * The store has one bucket, keeps its objects in memory, and checks signatures. A fault counts from when it is told
 * until it is ended, or has happened `times` times; of several that fit, the last one told happens.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { FAULTS, type FaultName, type S3Answer } from './s3-faults.ts';

export type S3Call = 'PUT' | 'GET' | 'LIST' | 'DELETE';

export interface FaultScope {
  /** The calls that fail; all when it isn't given. */
  readonly on?: S3Call;
  readonly times?: number;
}

export interface FaultyS3 {
  /** The address to open the target with. */
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  /** The objects by name below the prefix. Tests may change them. */
  readonly objects: Map<string, Buffer>;
  /** Returns what ends it. */
  fail(fault: FaultName, scope?: FaultScope): () => void;
  mend(): void;
  close(): Promise<void>;
}

export interface FaultyS3Options {
  /** Objects on one page of a list. */
  readonly pageSize?: number;
}

const BUCKET = 'shop';
const PREFIX = 'backups/main';
const REGION = 'eu-test-1';
const KEYS = { accessKeyId: 'AKIDTEST', secretAccessKey: 'secret/of+the=test' };

/** Between a look for an object and the writing of it. */
const RACE_MS = 30;

interface ToldFault {
  readonly name: FaultName;
  readonly scope: FaultScope;
  left: number;
  /** Names that a late list still shows. */
  readonly seen: readonly string[];
}

export async function startFaultyS3(options: FaultyS3Options = {}): Promise<FaultyS3> {
  const { pageSize = 1_000 } = options;
  const objects = new Map<string, Buffer>();
  const faults: ToldFault[] = [];
  const server = createServer((request, response) => {
    // A client that has gone is no failure of the test.
    respond(request, response).catch(() => response.destroy());
  });

  function faultOf(call: S3Call): ToldFault | undefined {
    const fault = faults.findLast(({ scope, left }) => left > 0 && (scope.on ?? call) === call);
    if (fault !== undefined) fault.left -= 1;
    return fault;
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://store');
    const isList = url.searchParams.get('list-type') === '2';
    const call = isList ? 'LIST' : (request.method as S3Call);
    const key = decodeURIComponent(url.pathname).slice(`/${BUCKET}/`.length);
    const name = below(isList ? (url.searchParams.get('prefix') ?? '') : key);
    const fault = faultOf(call);
    const body = await bodyOf(request, fault?.name === 'resetInRequest');
    if (body === undefined) return;
    const found = objects.get(name);
    if (fault?.name === 'racyConditions') await delay(RACE_MS);
    const answer = answerTo(request, url, call, name, body, found, fault);
    await FAULTS[fault?.name ?? 'none'].send(response, answer);
  }

  function answerTo(
    request: IncomingMessage,
    url: URL,
    call: S3Call,
    name: string,
    body: Buffer,
    found: Buffer | undefined,
    fault: ToldFault | undefined,
  ): S3Answer {
    const wrong = signatureFault(request, body);
    if (wrong !== undefined)
      return refusal(wrong === 'AuthorizationHeaderMalformed' ? 400 : 403, wrong, REGION);
    if (url.pathname !== `/${BUCKET}` && !url.pathname.startsWith(`/${BUCKET}/`))
      return refusal(404, 'NoSuchBucket');
    if (call === 'LIST') return list(url.searchParams, fault?.name === 'lateList' ? fault.seen : undefined);
    if (call === 'DELETE') {
      objects.delete(name);
      return { status: 204, body: Buffer.alloc(0) };
    }
    if (call === 'GET') return found === undefined ? refusal(404, 'NoSuchKey') : { status: 200, body: found };
    if (
      found !== undefined &&
      request.headers['if-none-match'] === '*' &&
      fault?.name !== 'ignoresConditions'
    )
      return refusal(412, 'PreconditionFailed');
    const stored = FAULTS[fault?.name ?? 'none'].stored(body);
    if (stored !== undefined) objects.set(name, stored);
    return { status: 200, body: Buffer.alloc(0) };
  }

  function list(query: URLSearchParams, seen: readonly string[] = [...objects.keys()]): S3Answer {
    const begin = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
    const keys = seen
      .map((name) => `${PREFIX}/${name}`)
      .filter((key) => key.startsWith(begin) && key > after);
    const page = keys.sort().slice(0, pageSize);
    const isTruncated = page.length < keys.length;
    const contents = page.map(
      (key) => `<Contents><Key>${key}</Key><Size>${objects.get(below(key))?.length ?? 0}</Size></Contents>`,
    );
    return {
      status: 200,
      body: Buffer.from(
        `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>${BUCKET}</Name><IsTruncated>${isTruncated}</IsTruncated>${contents.join('')}${isTruncated ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''}</ListBucketResult>`,
      ),
    };
  }

  function below(key: string): string {
    return key.startsWith(`${PREFIX}/`) ? key.slice(PREFIX.length + 1) : key;
  }

  const endpoint = `http://127.0.0.1:${await listen(server)}`;
  return {
    url: `s3://${BUCKET}/${PREFIX}`,
    env: {
      PURSER_S3_ENDPOINT: endpoint,
      PURSER_S3_REGION: REGION,
      PURSER_S3_PATH_STYLE: 'true',
      AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
    },
    objects,
    fail: (name, scope = {}) => {
      const fault = { name, scope, left: scope.times ?? Number.POSITIVE_INFINITY, seen: [...objects.keys()] };
      faults.push(fault);
      return () => {
        fault.left = 0;
      };
    },
    mend: () => {
      faults.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refusal(status: number, code: string, region = ''): S3Answer {
  const more = region === '' ? '' : `<Region>${region}</Region>`;
  return {
    status,
    body: Buffer.from(
      `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>in the store's words</Message>${more}</Error>`,
    ),
  };
}

/** Undefined when the connection ended in it. */
async function bodyOf(request: IncomingMessage, isReset: boolean): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    if (isReset) {
      request.socket.resetAndDestroy();
      return undefined;
    }
    chunks.push(chunk as Buffer);
  }
  if (isReset) request.socket.resetAndDestroy();
  return isReset ? undefined : Buffer.concat(chunks);
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/**
 * The code of S3's refusal; undefined when the request is signed by these keys for this region. AWS Signature Version 4
 * is checked from the rules, and not by the code that Purser signs with: so a mistake there is seen.
 */
function signatureFault(request: IncomingMessage, body: Buffer): string | undefined {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    );
  if (match === null) return 'AccessDenied';
  const [, id = '', day = '', signedRegion = '', names = '', signature = ''] = match;
  if (id !== KEYS.accessKeyId) return 'InvalidAccessKeyId';
  if (signedRegion !== REGION) return 'AuthorizationHeaderMalformed';
  const time = String(request.headers['x-amz-date']);
  if (!time.startsWith(day)) return 'AccessDenied';
  const scope = `${day}/${REGION}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical(request, names))].join('\n');
  const key = [day, REGION, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${KEYS.secretAccessKey}`,
  );
  if (!timingSafeEqual(hmac(key, toSign), Buffer.from(signature, 'hex'))) return 'SignatureDoesNotMatch';
  return contentFault(request, body);
}

function contentFault({ headers }: IncomingMessage, body: Buffer): string | undefined {
  const content = headers['x-amz-content-sha256'];
  if (content !== 'UNSIGNED-PAYLOAD' && content !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const md5 = headers['content-md5'];
  if (md5 !== undefined && md5 !== createHash('md5').update(body).digest('base64')) return 'BadDigest';
  return undefined;
}

function canonical(request: IncomingMessage, names: string): string {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  return [
    request.method,
    path,
    query.split('&').sort().join('&'),
    ...names.split(';').map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    '',
    names,
    request.headers['x-amz-content-sha256'],
  ].join('\n');
}

function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
