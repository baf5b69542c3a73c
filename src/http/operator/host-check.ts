/**
 * A check of every request, before all else: whether it is meant for this listener, and comes from no foreign page.
 *
 * A page from anywhere can lead its own name to this address (DNS rebinding), and then reads what is answered here as
 * if it were its own. Its browser says that name in `Host`, so only names that the operator gave are let in; an address
 * can't be led elsewhere. A request of another page has its `Origin`. The port of `Host` counts for nothing by itself:
 * tunnels and containers change it. Invariant: nothing is let in for want of a header that a browser always sends.
 * Rejected: to trust `X-Forwarded-Host`, which a page can't set but a proxy may pass on from anybody.
 */
import { isIP } from 'node:net';
import { type ApiError, apiError } from '../errors.ts';
import type { Exchange } from '../transport/transport.ts';

/**
 * The form of `Host` that browsers write: an address in brackets, or one or a name without. No user, no path, no
 * escapes.
 */
const AUTHORITY = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_.-]{1,254})(?::(\d{1,5}))?$/i;
const ORIGIN = /^(https?):\/\/(.+)$/i;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };

const NO_HOST = apiError(
  'FORBIDDEN',
  'The header Host must say whom the request is for: an IP address, localhost, or a name that the node was given with --operator-name.',
);
const FOREIGN_ORIGIN = apiError(
  'FORBIDDEN',
  'The header Origin names another page than one of this listener. Programs send none; a proxy must pass Host on as the browser sends it.',
);

interface Authority {
  /** The name in lower case, without the dot at its end; an IPv6 address in its brackets. */
  readonly name: string;
  /** Undefined where none is written. */
  readonly port: number | undefined;
}

export class HostCheck {
  readonly #names: ReadonlySet<string>;

  /** Names in lower case. */
  constructor(names: readonly string[]) {
    this.#names = new Set(['localhost', ...names]);
  }

  /** The refusal of a request, if any. To be called before `onExchange` returns. */
  refusalOf(exchange: Exchange): ApiError | undefined {
    const host = authorityOf(exchange.header('host') ?? '');
    if (host === undefined) return NO_HOST;
    if (!isAddress(host.name) && !this.#names.has(host.name)) return unknownName(host.name);
    const origins = exchange.headerValues('origin');
    return origins.every((origin) => isOwn(origin, host)) ? undefined : FOREIGN_ORIGIN;
  }
}

function authorityOf(text: string): Authority | undefined {
  const [, name, port] = AUTHORITY.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { name: name.toLowerCase().replace(/\.$/, ''), port: port === undefined ? undefined : Number(port) };
}

function isAddress(name: string): boolean {
  return name.startsWith('[') ? isIP(name.slice(1, -1)) === 6 : isIP(name) === 4;
}

/** Whether an origin has the host's name and port. TLS may end at a proxy, so either scheme may be that of the page. */
function isOwn(origin: string, host: Authority): boolean {
  const [, scheme = '', rest = ''] = ORIGIN.exec(origin) ?? [];
  const page = authorityOf(rest);
  const usual = DEFAULT_PORTS[scheme.toLowerCase()];
  return page?.name === host.name && (page.port ?? usual) === (host.port ?? usual);
}

function unknownName(name: string): ApiError {
  return apiError(
    'FORBIDDEN',
    `This listener is not called ${name}: use an IP address or localhost. If the name is yours, start the node with --operator-name ${name}.`,
  );
}
