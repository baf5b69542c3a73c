/**
 * A real S3 store for the contract of targets. `PURSER_TEST_S3` says which:
 *
 *     PURSER_TEST_S3=ceph              starts one (ceph.ts), when Debian's ceph-mon, ceph-osd and radosgw are installed
 *     PURSER_TEST_S3=s3://bucket/prefix PURSER_S3_ENDPOINT=… AWS_ACCESS_KEY_ID=… AWS_SECRET_ACCESS_KEY=…
 *
 * In a bucket everything lies below a prefix of its own, and stays there.
 */
import { randomUUID } from 'node:crypto';
import { startCeph } from './ceph.ts';

export interface RealS3 {
  readonly url: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  close(): Promise<void>;
}

/** A text says why there is none. */
export function realS3(): (() => Promise<RealS3>) | string {
  const named = process.env.PURSER_TEST_S3 ?? '';
  if (named === '') return 'PURSER_TEST_S3 names none (try ceph)';
  if (named === 'ceph') return startCeph;
  return async () => ({ url: `${named}/${randomUUID()}`, env: process.env, close: async () => {} });
}
