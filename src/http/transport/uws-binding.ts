/**
 * The part of uWebSockets.js that the transport and the benchmarks use, and how it is loaded.
 *
 * Typed here and not taken from the package: its typings leave out `listen(host, port, options, …)` and
 * `_cfg`, and an operator may put the official release, with typings of its own, behind the same name. The
 * program compiles and runs without it: the package is optional, and has no binary for every Node version.
 */
import { codeOf } from '../../shared/error-code.ts';

export interface UwsRequest {
  /** Empty when absent; the first value when there are several. */
  getHeader(lowerCaseName: string): string;
  /** Every header as sent, repeated ones too; names are lower case. */
  forEach(visit: (name: string, value: string) => void): void;
  getUrl(): string;
  getCaseSensitiveMethod(): string;
  /** Undefined when the URL has no `?`. */
  getQuery(): string | undefined;
}

/** Throws on any use after the client has gone, or after the reply was handed over whole. */
export interface UwsResponse {
  pause(): void;
  resume(): void;
  close(): void;
  cork(write: () => void): void;
  writeStatus(status: string): void;
  writeHeader(name: string, value: string): void;
  /** Sends an HTTP chunk. False when the socket didn't take all of it: the server keeps the rest until it does. */
  write(chunk: Uint8Array): boolean;
  end(body?: string | Uint8Array, closeConnection?: boolean): void;
  /** Ends a reply without a `content-length`. With one, as its own parameters allow, the reply never completes. */
  endWithoutBody(): void;
  /** Writes what the socket takes. Done means that the reply is complete and this object is dead. */
  tryEnd(body: string | Uint8Array, totalBytes?: number): [ok: boolean, done: boolean];
  /** Called with the number of body bytes sent so far; the answer tells whether the write went through. */
  onWritable(handler: (offset: number) => boolean): void;
  onAborted(handler: () => void): void;
  /** The chunk's memory is taken back when the handler returns. */
  onData(handler: (chunk: ArrayBuffer, last: boolean) => void): void;
  getRemoteAddress(): ArrayBuffer;
  getRemoteAddressAsText(): ArrayBuffer;
}

/** Opaque handle. */
export type UwsListenSocket = object;

export interface UwsApp {
  /** The path as sent, without the query, is exactly this one, if it has no `:` and no `*`. Goes before `any`. */
  post(path: string, handler: (response: UwsResponse, request: UwsRequest) => void): void;
  any(pattern: string, handler: (response: UwsResponse, request: UwsRequest) => void): void;
  /** Calls back with 1 for every connection that opens and -1 for every one that closes. */
  filter(handler: (response: UwsResponse, change: number) => void): void;
  listen(host: string, port: number, options: number, done: (socket: UwsListenSocket | false) => void): void;
  /** Closes every connection, whatever is going on there. */
  close(): void;
}

export interface UwsBinding {
  App(): UwsApp;
  SSLApp(options: { readonly key_file_name: string; readonly cert_file_name: string }): UwsApp;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  us_listen_socket_close(socket: UwsListenSocket): void;
  us_socket_local_port(socket: UwsListenSocket): number;
  /** `silent` leaves out the reply header that names the server software. */
  _cfg?(setting: string): void;
}

/**
 * The most bytes of a request's head: node:http's default. The server refuses with 431 a head that is larger, or has
 * more than 98 headers.
 */
const MAX_HEAD_BYTES = '16384';

/** The package's name as text, and not as the name itself: the compiler would want the package to be there. */
const PACKAGE: string = 'uWebSockets.js';

/** The official release is not in npm's registry; from this version on it has binaries for Node 22, 24 and 26. */
const INSTALL_OFFICIAL =
  'npm install --no-save uNetworking/uWebSockets.js#v20.67.0 (with --global where purser is installed so; for Node 22, 24 and 26; on Linux it needs glibc 2.38; for Node 20: uWebSockets.js@npm:uws-pack@20.0.8 in its place)';

/** Throws an `Error` with a cause, which says what to do, when no binary loads here. */
export async function loadUwsBinding(): Promise<UwsBinding> {
  // Read once, when the binary is loaded.
  process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= MAX_HEAD_BYTES;
  try {
    const module = (await import(PACKAGE)) as unknown as UwsBinding | { default: UwsBinding };
    // The official release is CommonJS: everything is under `default`.
    return 'App' in module ? module : module.default;
  } catch (cause) {
    const here = `Node ${process.versions.node} on ${process.platform}/${process.arch}`;
    throw new Error(
      `uWebSockets.js does not load on ${here} (${reasonOf(cause)}); the official release is put in place by: ${INSTALL_OFFICIAL}`,
      { cause },
    );
  }
}

/**
 * The reason why the binary does not load: the first line of the loader's error, without the folders of this
 * installation.
 */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (codeOf(cause) === 'ERR_MODULE_NOT_FOUND' && cause.message.includes(`'${PACKAGE}'`))
    return 'it is not installed';
  return cause.message.split('\n', 1)[0] ?? '';
}
