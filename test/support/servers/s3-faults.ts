/** Faults of `faulty-s3.ts`: what it stores of an object, and what it answers. */
import type { ServerResponse } from 'node:http';

export interface S3Answer {
  readonly status: number;
  readonly body: Buffer;
}

interface Behaviour {
  /** Undefined: nothing. */
  readonly stored: (body: Buffer) => Buffer | undefined;
  /** `answer` is what a sound store would answer now. */
  readonly send: (response: ServerResponse, answer: S3Answer) => void | Promise<void>;
}

const NOTHING = () => undefined;
const WHOLE = (body: Buffer) => body;

/** Nothing is stored, and this is answered. */
function refuses(status: number, code: string): Behaviour {
  const body = Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>no &amp; no</Message></Error>`,
  );
  return { stored: NOTHING, send: (response) => sendAnswer(response, { status, body }) };
}

/** Stores rightly, and answers a read with other bytes. */
function reads(change: (body: Buffer) => Buffer): Behaviour {
  return {
    stored: WHOLE,
    send: (response, answer) => sendAnswer(response, { ...answer, body: change(answer.body) }),
  };
}

function stores(stored: Behaviour['stored']): Behaviour {
  return { stored, send: sendAnswer };
}

const FAULT_TABLE = {
  none: stores(WHOLE),
  /** Takes everything, stores nothing, and never answers. */
  hang: { stored: NOTHING, send: () => {} },
  slowDown: refuses(503, 'SlowDown'),
  /** The connection is reset while the client sends. */
  resetInRequest: stores(NOTHING),
  /** The connection is reset in the middle of an answer's body. */
  resetInAnswer: {
    stored: WHOLE,
    send: (response, { status, body }) => {
      response.writeHead(status, { 'content-length': body.length + 1 });
      response.write(body.subarray(0, body.length / 2), () => response.socket?.resetAndDestroy());
    },
  },
  /** Stores half of an object, and says that it is stored. */
  halfStored: stores((body) => body.subarray(0, body.length / 2)),
  /** A disk that is full, as MinIO says it. */
  full: refuses(507, 'XMinioStorageFull'),
  noRight: refuses(403, 'AccessDenied'),
  noBucket: refuses(404, 'NoSuchBucket'),
  /** Another writer is at the same name right now. */
  conflict: refuses(409, 'ConditionalRequestConflict'),
  /** A store that knows no conditions, and says so. */
  conditionsUnknown: refuses(501, 'NotImplemented'),
  /** A store that knows no conditions, and doesn't say so. */
  ignoresConditions: stores(WHOLE),
  /** A store that keeps conditions only if one writer comes after the other. */
  racyConditions: stores(WHOLE),
  /** Stores, and says that the name was taken: what a proxy that asked twice makes of it. */
  storedBut412: {
    stored: WHOLE,
    send: (response) =>
      refuses(412, 'PreconditionFailed').send(response, { status: 412, body: Buffer.alloc(0) }),
  },
  /** Stores, and the answer is lost. */
  lostReply: { stored: WHOLE, send: (response) => void response.socket?.resetAndDestroy() },
  /** A list shows what there was when this was told. */
  lateList: stores(WHOLE),
  /** A list that says of its last page, too, that there is more. */
  endlessList: reads((body) => {
    const more = '<NextContinuationToken>0</NextContinuationToken></ListBucketResult>';
    const isMore = body.toString().replace('>false</IsTruncated>', '>true</IsTruncated>');
    return Buffer.from(isMore.replace('</ListBucketResult>', more));
  }),
  /** 200 and no word of S3, as a captive portal answers. */
  nonsense: reads(() => Buffer.from('<html>Welcome</html>')),
} satisfies Record<string, Behaviour>;

export type FaultName = keyof typeof FAULT_TABLE;
export const FAULTS: Readonly<Record<FaultName, Behaviour>> = FAULT_TABLE;

function sendAnswer(response: ServerResponse, { status, body }: S3Answer): void {
  response.writeHead(status, { 'content-type': 'application/xml', 'content-length': body.length });
  response.end(body);
}
