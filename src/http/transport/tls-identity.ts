/**
 * The certificate with which a listener speaks TLS, and its key.
 *
 * Invariant: a certificate or key that is refused here changes nothing. Both files are read and tried together, because
 * programs that renew a certificate replace one after the other. uWebSockets.js takes names of files only, so it reads
 * them again.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

export interface TlsIdentity {
  /**
   * The file of certificates, in PEM: the listener's, then those of the authorities between it and one that clients
   * know.
   */
  readonly certFile: string;
  /** The file of the key, in PEM, without a passphrase. */
  readonly keyFile: string;
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly expiresAt: Date;
  /** The names that the certificate is for: DNS names and IP addresses. */
  readonly names: string;
}

/** Throws an error whose message is one line that says what is wrong. */
export function readTlsIdentity(certFile: string, keyFile: string): TlsIdentity {
  const cert = contentOf(certFile);
  const key = contentOf(keyFile);
  const certificate = read(certFile, 'a certificate in PEM', () => new X509Certificate(cert));
  const privateKey = read(keyFile, 'a private key in PEM, without a passphrase', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(`the key in ${keyFile} is not that of the first certificate in ${certFile}`);
  }
  read(certFile, 'a certificate and those of its authorities', () => createSecureContext({ cert, key }));
  const { validTo, subjectAltName = '' } = certificate;
  return { certFile, keyFile, cert, key, expiresAt: new Date(validTo), names: subjectAltName };
}

function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new Error(`can't read ${file}: ${(cause as Error).message}`, { cause });
  }
}

function read<T>(file: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new Error(`${file} does not hold ${what} (${(cause as Error).message})`, { cause });
  }
}
