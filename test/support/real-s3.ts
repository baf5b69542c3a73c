/**
 * A real S3 store for the contract of targets, which the environment names:
 *
 *     PURSER_TEST_S3=s3://bucket/prefix PURSER_S3_ENDPOINT=… PURSER_S3_REGION=… AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…
 *
 * Everything lies below a prefix of its own, and stays there.
 */
import { randomUUID } from 'node:crypto';

export interface RealS3 {
  readonly url: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A text says why there is none. */
export function realS3(): RealS3 | string {
  const named = process.env.PURSER_TEST_S3;
  if (named === undefined || named === '') return 'PURSER_TEST_S3 names none';
  return { url: `${named}/${randomUUID()}`, env: process.env };
}
