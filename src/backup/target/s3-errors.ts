/**
 * Refusals of an S3-compatible store, and errors of the way to it, as a `TargetError`.
 *
 * Invariant: of the store's words only its code is repeated. Its message may have a key.
 */
import { innerCodeOf } from '../../shared/error-code.ts';
import { TargetError, type TargetFault } from './backup-target.ts';
import type { S3Settings } from './s3-settings.ts';

export type S3Action = 'read' | 'write' | 'list' | 'remove';

export interface S3Refusal {
  readonly status: number;
  /** Empty when the answer has none, as that of a proxy. */
  readonly code: string;
  /** The bucket's region, when the store says it. */
  readonly region: string | undefined;
}

type Sentence = (refusal: S3Refusal, settings: S3Settings, action: S3Action) => string;

const WRONG_KEYS: Sentence = () =>
  'the store does not know these keys; check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY';
const OTHER_REGION: Sentence = ({ region }, { region: asked }) =>
  `the bucket is not in region ${asked}; set PURSER_S3_REGION to ${region ?? "the bucket's"}`;

const BY_CODE: Readonly<Record<string, Sentence>> = {
  InvalidAccessKeyId: WRONG_KEYS,
  SignatureDoesNotMatch: WRONG_KEYS,
  AccessDenied: (_, __, action) =>
    `these keys have no right to ${action} here; give them the rights that docs/backups.md lists`,
  RequestTimeTooSkewed: () => "this machine's clock differs too much from the store's; set it right",
  NoSuchBucket: (_, { bucket, host }) =>
    `there is no bucket ${bucket} at ${host}; correct its name or PURSER_S3_ENDPOINT, or make it for a new backup`,
  InvalidBucketName: (_, { bucket }) => `${bucket} can't be the name of a bucket here; correct it`,
  PermanentRedirect: OTHER_REGION,
  AuthorizationHeaderMalformed: OTHER_REGION,
  IllegalLocationConstraintException: OTHER_REGION,
};

const NO_ROOM = /StorageFull|Quota|InsufficientStorage|InsufficientCapacity|CapExceeded|cap_exceeded/i;
/** Codes of S3 that ask to come again. */
const PASSING =
  /^(SlowDown|InternalError|ServiceUnavailable|RequestTimeout|OperationAborted|TemporaryRedirect|ConditionalRequestConflict|Throttling\w*)$/;
const PASSING_STATUS = new Set([307, 408, 409, 425, 429, 500, 502, 503, 504]);
/** Statuses for callers that have no right, or ask for too much. */
const REFUSING_STATUS = new Set([301, 302, 303, 308, 400, 401, 403, 404, 405, 411, 413, 501]);

/** `body` is the answer's beginning. */
export function readRefusal(status: number, headers: Headers, body: string): S3Refusal {
  const [, code = ''] = /<Code>\s*([\w.-]{1,64})\s*<\/Code>/.exec(body) ?? [];
  const [, region = headers.get('x-amz-bucket-region') ?? ''] =
    /<Region>\s*([\w-]{1,32})\s*<\/Region>/.exec(body) ?? [];
  return { status, code, region: /^[\w-]{1,32}$/.test(region) ? region : undefined };
}

export function refusalError(refusal: S3Refusal, settings: S3Settings, action: S3Action): TargetError {
  const { status, code } = refusal;
  const error = (fault: TargetFault, sentence: string) =>
    new TargetError(fault, `${settings.url}: ${sentence} (${[status, code].join(' ').trim()})`);
  if (status === 507 || NO_ROOM.test(code))
    return error('full', 'the store has no room left; make room, or raise the quota');
  const sentence = BY_CODE[code];
  if (sentence !== undefined) return error('refused', sentence(refusal, settings, action));
  if (PASSING.test(code) || PASSING_STATUS.has(status))
    return error('unreachable', 'the store can not answer now; look after it if this lasts');
  if (action === 'write' && (status === 501 || code === 'NotImplemented'))
    return error(
      'refused',
      'the store does not know "If-None-Match: *", and without it two nodes could write one object; choose a store that docs/backups.md lists',
    );
  if (status === 301) return error('refused', OTHER_REGION(refusal, settings, action));
  if (REFUSING_STATUS.has(status))
    return error(
      'refused',
      `${settings.host} refuses this; check PURSER_S3_ENDPOINT, PURSER_S3_PATH_STYLE and the bucket`,
    );
  return error('invalid', `${settings.host} answers nothing that S3 would; check PURSER_S3_ENDPOINT`);
}

export function noSense(settings: S3Settings, what: string): TargetError {
  return new TargetError('invalid', `${settings.url}: ${settings.host} ${what}; check PURSER_S3_ENDPOINT`);
}

/** The error of a request that got no answer, or not all of it. */
export function wayError(error: unknown, settings: S3Settings): TargetError {
  if (error instanceof TargetError) return error;
  const { host, url } = settings;
  const code = innerCodeOf(error) ?? '';
  const say = (fault: TargetFault, sentence: string) =>
    new TargetError(fault, `${url}: ${sentence}${code === '' ? '' : ` (${code})`}`, { cause: error });
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code))
    return say(
      'refused',
      `the certificate of ${host} is not trusted; name its authority in NODE_EXTRA_CA_CERTS`,
    );
  if (code === 'ENOTFOUND')
    return say(
      'unreachable',
      `there is no host ${host}; check PURSER_S3_ENDPOINT, or set PURSER_S3_PATH_STYLE=true`,
    );
  if (code === 'ECONNREFUSED')
    return say('unreachable', `nobody listens at ${host}; start the store, or check PURSER_S3_ENDPOINT`);
  return say(
    'unreachable',
    `the connection to ${host} failed; check the store and the way to it if this lasts`,
  );
}
