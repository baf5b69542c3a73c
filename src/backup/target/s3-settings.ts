/**
 * Where a bucket is and with which keys, from `s3://bucket/prefix` and the environment.
 *
 * Invariant: no message has a key. All that is wrong with the settings is said before anything is asked.
 */
import { isIP } from 'node:net';
import { TargetError } from './backup-target.ts';
import { isNamePart } from './object-name.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface S3Settings {
  /** The target as operators name it: `s3://bucket/prefix`. */
  readonly url: string;
  readonly bucket: string;
  /** Empty, or ends with `/`. */
  readonly prefix: string;
  /** The bucket's own, without a slash at its end. */
  readonly bucketUrl: string;
  /** The host that is asked, for messages. */
  readonly host: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const EXAMPLE = 's3://bucket/prefix';
/** Stores other than AWS mostly have one region, and take this name for it. */
const USUAL_REGION = 'us-east-1';

/** Throws a `TargetError` (`refused`) that says what to set. Variables that are empty count as not set. */
export function s3Settings(text: string, env: Environment): S3Settings {
  const { bucket, parts } = bucketOf(text);
  const region = setting(env, 'PURSER_S3_REGION');
  const endpoint = endpointOf(env, region);
  const isInPath = pathStyle(env) || !canLeadHost(bucket, endpoint.hostname);
  const bucketUrl = new URL(endpoint);
  if (!isInPath) bucketUrl.hostname = `${bucket}.${endpoint.hostname}`;
  const base = endpoint.pathname.replace(/\/+$/, '');
  return {
    url: ['s3:/', bucket, ...parts].join('/'),
    bucket,
    prefix: parts.map((part) => `${part}/`).join(''),
    bucketUrl: `${bucketUrl.origin}${base}${isInPath ? `/${bucket}` : ''}`,
    host: bucketUrl.host,
    region: region ?? USUAL_REGION,
    accessKeyId: keyOf(env, 'AWS_ACCESS_KEY_ID'),
    secretAccessKey: keyOf(env, 'AWS_SECRET_ACCESS_KEY'),
  };
}

function bucketOf(text: string): { bucket: string; parts: string[] } {
  // Before an @ there may be keys, so the text is not repeated.
  if (text.includes('@'))
    throw refused(
      `write keys into AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and the target as ${EXAMPLE}`,
    );
  const [bucket = '', ...rest] = text.slice('s3://'.length).split('/');
  const parts = rest.filter((part) => part !== '');
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/.test(bucket))
    throw refused(`${JSON.stringify(text)} names no bucket; write it as ${EXAMPLE}`);
  const wrong = parts.find((part) => !isNamePart(part));
  if (wrong !== undefined)
    throw refused(
      `${JSON.stringify(wrong)} can't be a part of the prefix in ${JSON.stringify(text)}; each begins with a letter or digit and has only those, ".", "_" and "-"`,
    );
  return { bucket, parts };
}

function endpointOf(env: Environment, region: string | undefined): URL {
  const text = setting(env, 'PURSER_S3_ENDPOINT');
  if (text === undefined) {
    if (region === undefined)
      throw refused(
        "the bucket's store is not known: set PURSER_S3_ENDPOINT to its URL, or for AWS PURSER_S3_REGION to the bucket's region",
      );
    if (!/^[a-z0-9-]+$/.test(region))
      throw refused('PURSER_S3_REGION is no region of AWS; write it like eu-central-1');
    return new URL(`https://s3.${region}.amazonaws.com`);
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url !== undefined && `${url.username}${url.password}${url.search}${url.hash}` === '';
  if (!isPlain || !/^https?:$/.test(url.protocol))
    throw refused(
      "PURSER_S3_ENDPOINT must be the store's URL, like https://s3.example.com, without keys or a query",
    );
  return url;
}

function pathStyle(env: Environment): boolean {
  const text = setting(env, 'PURSER_S3_PATH_STYLE') ?? 'false';
  if (text !== 'true' && text !== 'false') throw refused('PURSER_S3_PATH_STYLE must be true or false');
  return text === 'true';
}

/** Whether a name below the store's can be the bucket's: an address has none, and a certificate covers one label. */
function canLeadHost(bucket: string, host: string): boolean {
  return /^[a-z0-9-]+$/.test(bucket) && isIP(host.replace(/^\[|\]$/g, '')) === 0 && host !== 'localhost';
}

function keyOf(env: Environment, name: string): string {
  const value = setting(env, name);
  if (value === undefined) throw refused(`${name} is not set; set it to the key that the store gave you`);
  if (!/^[\x21-\x7e]+$/.test(value)) throw refused(`${name} has characters that no key has; copy it again`);
  return value;
}

function setting(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}

function refused(message: string): TargetError {
  return new TargetError('refused', message);
}
