/**
 * An account as the value of its row: what all accounts have as bytes, and what few have as JSON behind it. A start reads
 * all of them, and a million texts of JSON take twice as long as it may.
 */
import type { Account, ApiKey } from '../../engine/accounts.ts';
import { SCOPES, type Scope } from '../../engine/scope.ts';
import { ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';
import { decodeJson, encodeJson } from '../codec/sealed-row.ts';

const HAS_LIMIT = 0x01;
const HAS_KEY = 0x02;
const KEY_IS_ACTIVE = 0x04;
const HAS_MORE = 0x08;
const DIGEST_BYTES = 32;

/** The parts of an account that are JSON: whatever this file doesn't name is there, too. */
interface More {
  readonly profile: object;
  readonly account: object;
}

export function writeAccountRow(out: ByteWriter, row: Account): void {
  const { accountId: _, profile, key, webhook, walletMicros, heldMicros, createdAtMs, ...others } = row;
  const { name, rateLimitPerMinute: limit, webhookConcurrency, ...settings } = profile;
  const account = { ...others, ...(webhook === null ? {} : { webhook }) };
  const hasMore = Object.keys(account).length > 0 || Object.keys(settings).length > 0;
  out.byte(
    (limit === null ? 0 : HAS_LIMIT) |
      (key === null ? 0 : HAS_KEY) |
      (key?.isActive === true ? KEY_IS_ACTIVE : 0) |
      (hasMore ? HAS_MORE : 0),
  );
  out.varint(walletMicros);
  out.varint(heldMicros);
  out.varint(createdAtMs);
  out.varint(webhookConcurrency);
  if (limit !== null) out.varint(limit);
  out.text(name);
  if (key !== null) writeKey(out, key);
  if (hasMore) out.bytes(encodeJson({ profile: settings, account } satisfies More));
}

/** Throws `DamagedDataError`. */
export function readAccountRow(accountId: number, bytes: Uint8Array): Account {
  const input = new ByteReader(bytes);
  const has = input.byte();
  const walletMicros = input.varint();
  const heldMicros = input.varint();
  const createdAtMs = input.varint();
  const webhookConcurrency = input.varint();
  const rateLimitPerMinute = has & HAS_LIMIT ? input.varint() : null;
  const profile = { name: input.text(), rateLimitPerMinute, webhookConcurrency };
  const key = has & HAS_KEY ? readKey(input, (has & KEY_IS_ACTIVE) !== 0) : null;
  const account = { accountId, profile, key, webhook: null, walletMicros, heldMicros, createdAtMs };
  if ((has & HAS_MORE) === 0) return account;
  const more = decodeJson<More>(bytes.subarray(input.offset));
  return { ...account, ...more.account, profile: { ...profile, ...more.profile } };
}

function writeKey(out: ByteWriter, { prefix, sha256, scopes, issuedAtMs }: ApiKey): void {
  out.text(prefix);
  out.bytes(Buffer.from(sha256, 'hex'));
  out.byte(scopes.length);
  for (const scope of scopes) out.byte(SCOPES.indexOf(scope));
  out.varint(issuedAtMs);
}

function readKey(input: ByteReader, isActive: boolean): ApiKey {
  const prefix = input.text();
  const sha256 = input.bytes(DIGEST_BYTES).toString('hex');
  const scopes = scopesOf(input.bytes(input.byte()));
  return { prefix, sha256, scopes, issuedAtMs: input.varint(), isActive };
}

/** Lists of scopes that were read, by their bytes: accounts share them. There are 325 at most. */
const knownScopes = new Map<string, readonly Scope[]>();

function scopesOf(bytes: Buffer): readonly Scope[] {
  const text = bytes.toString('latin1');
  let scopes = knownScopes.get(text);
  if (scopes === undefined) {
    scopes = Array.from(bytes, scopeAt);
    knownScopes.set(text, scopes);
  }
  return scopes;
}

function scopeAt(index: number): Scope {
  const scope = SCOPES[index];
  if (scope === undefined) throw new DamagedDataError('a key has an unknown scope');
  return scope;
}
