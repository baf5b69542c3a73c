/**
 * Checks AWS Signature Version 4 of a request to S3, from the rules and not with what the server signs with: so a mistake
 * there is seen.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The code of S3's refusal; undefined when the request is signed by these keys for this region. */
export function signatureFault(
  request: IncomingMessage,
  body: Buffer,
  keys: S3Keys,
  region: string,
): string | undefined {
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    );
  if (match === null) return 'AccessDenied';
  const [, id = '', day = '', signedRegion = '', names = '', signature = ''] = match;
  if (id !== keys.accessKeyId) return 'InvalidAccessKeyId';
  if (signedRegion !== region) return 'AuthorizationHeaderMalformed';
  const time = String(request.headers['x-amz-date']);
  if (!time.startsWith(day)) return 'AccessDenied';
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical(request, names))].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${keys.secretAccessKey}`,
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
