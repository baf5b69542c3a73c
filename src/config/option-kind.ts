/**
 * The kinds of values an option can have. A kind reads text, because flags and the environment are text; of
 * the configuration file's JSON it says which type besides a string it also takes.
 */
import { BlockList, isIP, isIPv4 } from 'node:net';
import { resolve } from 'node:path';
import { formatDuration, parseDuration } from '../shared/duration.ts';

export interface OptionKind<T> {
  /** How help writes the value; empty for a switch, which needs none. */
  readonly placeholder: string;
  /** The accepted values, as the end of a sentence that begins with "expected". */
  readonly expected: string;
  /** The JSON type that the configuration file may use besides a string. */
  readonly json?: 'number' | 'boolean' | 'list';
  /** The flag may be given several times: its values are joined by commas, as a list in the environment is. */
  readonly isRepeatable?: true;
  /** The value is never shown, in no message and no log. */
  readonly isSecret?: true;
  /** The value, or undefined when `text` is not accepted. */
  readonly parse: (text: string) => T | undefined;
}

const LARGEST_PORT = 65_535;
const LABEL = '[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?';
/** The last label holds a letter: 10.0.0.256 is a mistyped address, not a name. */
const HOST_NAME = new RegExp(`^(${LABEL}\\.)*(?=[a-z0-9_-]*[a-z])${LABEL}$`, 'i');

function parsePort(text: string, smallest: number): number | undefined {
  if (!/^\d{1,5}$/.test(text)) return undefined;
  const port = Number(text);
  return port >= smallest && port <= LARGEST_PORT ? port : undefined;
}

export const folder: OptionKind<string> = {
  placeholder: 'DIR',
  expected: 'the path of a folder',
  parse: (text) => (text === '' || text.includes('\0') ? undefined : resolve(text)),
};

export const file: OptionKind<string> = { ...folder, placeholder: 'FILE', expected: 'the path of a file' };

/** Where a backup goes; what is wrong with it otherwise is said when it is opened. */
export const backupTarget: OptionKind<string> = {
  placeholder: 'TARGET',
  expected: 'the path of a folder, or the URL of a bucket (s3://bucket/prefix) without keys',
  parse: (text) => {
    if (text.trim() === '' || text.includes('\0') || /^[a-z\d+.-]+:\/\/[^/]*@/i.test(text)) return undefined;
    if (/^(s3|file):\/\//i.test(text)) return text;
    return /^[a-z\d+.-]+:\/\//i.test(text) ? undefined : resolve(text);
  },
};

export const host: OptionKind<string> = {
  placeholder: 'HOST',
  expected: 'an IP address or a host name, without port or brackets',
  parse: (text) => (isIP(text) !== 0 || (text.length <= 253 && HOST_NAME.test(text)) ? text : undefined),
};

/** In lower case, without the dot at its end. */
export const hostName: OptionKind<string> = {
  placeholder: 'NAME',
  expected: 'a host name such as purser.example, without scheme and port',
  parse: (text) => {
    const name = text.toLowerCase().replace(/\.$/, '');
    return name.length <= 253 && HOST_NAME.test(name) && isIP(name) === 0 ? name : undefined;
  },
};

export const listenPort: OptionKind<number> = {
  placeholder: 'PORT',
  expected: `a whole number from 0 (the system chooses) to ${LARGEST_PORT}`,
  json: 'number',
  parse: (text) => parsePort(text, 0),
};

/** A count within inclusive bounds. */
export function wholeNumber(smallest: number, largest: number): OptionKind<number> {
  return {
    placeholder: 'N',
    expected: `a whole number from ${smallest} to ${largest}`,
    json: 'number',
    parse: (text) => {
      if (!/^\d{1,15}$/.test(text)) return undefined;
      const value = Number(text);
      return value >= smallest && value <= largest ? value : undefined;
    },
  };
}

export const flag: OptionKind<boolean> = {
  placeholder: '',
  expected: 'true or false',
  json: 'boolean',
  parse: (text) => {
    if (text === 'true' || text === '1') return true;
    return text === 'false' || text === '0' ? false : undefined;
  },
};

export function choice<const T extends string>(...words: readonly T[]): OptionKind<T> {
  return {
    placeholder: words.join('|'),
    expected: `one of ${words.join(', ')}`,
    parse: (text) => words.find((word) => word === text),
  };
}

const EXAMPLES = ['100ms', '10s', '5m', '6h'] as const;

/** A duration within inclusive bounds, in milliseconds. */
export function duration(shortest: string, longest: string): OptionKind<number> {
  const shortestMs = parseDuration(shortest) ?? Number.NaN;
  const longestMs = parseDuration(longest) ?? Number.NaN;
  const examples = EXAMPLES.filter((text) => {
    const ms = parseDuration(text) ?? Number.NaN;
    return ms >= shortestMs && ms <= longestMs;
  });
  return {
    placeholder: 'DURATION',
    expected: `a duration from ${formatDuration(shortestMs)} to ${formatDuration(longestMs)}, such as ${examples.join(' or ')}`,
    parse: (text) => {
      const durationMs = parseDuration(text);
      if (durationMs === undefined || durationMs < shortestMs || durationMs > longestMs) return undefined;
      return durationMs;
    },
  };
}

/** Separated by commas, or the word `none` for an empty list. */
export function list<T>(item: OptionKind<T>, most: number): OptionKind<readonly T[]> {
  return {
    placeholder: `${item.placeholder},…`,
    expected: `none, or a list of up to ${most} values separated by commas, each ${item.expected}`,
    json: 'list',
    isRepeatable: true,
    parse: (text) => {
      if (text === 'none') return Object.freeze([]);
      const values = text.split(',', most + 1).map((part) => item.parse(part.trim()));
      if (values.length > most) return undefined;
      const accepted = values.filter((value) => value !== undefined);
      return accepted.length === values.length ? Object.freeze(accepted) : undefined;
    },
  };
}

/** An address range, normalised to `address/prefix`; a single address is a range of one. */
export const cidr: OptionKind<string> = {
  placeholder: 'CIDR',
  expected: 'an IP address or a range such as 10.0.0.0/8 or fd00::/8',
  parse: (text) => {
    const match = /^([0-9a-f.:]{2,45})(?:\/(\d{1,3}))?$/i.exec(text);
    const address = match?.[1];
    if (address === undefined || isIP(address) === 0) return undefined;
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    const prefix = Number(match?.[2] ?? (family === 'ipv4' ? 32 : 128));
    try {
      new BlockList().addSubnet(address, prefix, family);
    } catch {
      return undefined;
    }
    return `${address}/${prefix}`;
  },
};

/** A resolver's address in the form that `dns.Resolver.setServers` takes, which knows no names. */
export const dnsServer: OptionKind<string> = {
  placeholder: 'HOST:PORT',
  expected: 'an IP address with an optional port, such as 127.0.0.1:53 or [::1]:53',
  parse: (text) => {
    const match = /^(?:\[([^\]]+)\](?::(\d+))?|([\d.]+)(?::(\d+))?)$/.exec(text);
    const address = match?.[1] ?? match?.[3] ?? text;
    const port = parsePort(match?.[2] ?? match?.[4] ?? '53', 1);
    if (isIP(address) === 0 || address.includes('%') || port === undefined) return undefined;
    return isIPv4(address) ? `${address}:${port}` : `[${address}]:${port}`;
  },
};

export const httpUrl: OptionKind<string> = {
  placeholder: 'URL',
  expected: 'an http or https URL without user and password',
  parse: (text) => {
    if (!URL.canParse(text)) return undefined;
    const url = new URL(text);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
    return url.username === '' && url.password === '' ? url.href : undefined;
  },
};

export const TARGET_CLASSES = ['operations', 'buyer'] as const;

/** Where alerts go, and the only class that does; without a class, all do. */
export interface AlertTarget {
  readonly url: string;
  readonly class: (typeof TARGET_CLASSES)[number] | undefined;
}

const MOST_TARGETS = 16;
/** Only before what looks like another URL: a comma may be part of one. */
const BETWEEN_TARGETS = /,\s*(?=(?:[a-z]+=)?[a-z][a-z\d+.-]*:\/\/)/i;

export const alertTargets: OptionKind<readonly AlertTarget[]> = {
  placeholder: '[CLASS=]URL',
  expected: `none, or up to ${MOST_TARGETS} http or https URLs without user and password, separated by commas, each alone or as ${TARGET_CLASSES.map((word) => `${word}=URL`).join(' or ')}`,
  json: 'list',
  isRepeatable: true,
  parse: (text) => {
    if (text === 'none') return Object.freeze([]);
    const targets = text.split(BETWEEN_TARGETS, MOST_TARGETS + 1).map(parseTarget);
    const accepted = targets.filter((target) => target !== undefined);
    return targets.length <= MOST_TARGETS && accepted.length === targets.length
      ? Object.freeze(accepted)
      : undefined;
  },
};

/** Commas that divide nothing and are more likely a slip: at the end, in the host, or before another `//`. */
const SLIP = /,\s*$|,[^,]*\/\/|\/\/[^/?#]*,/;

function parseTarget(text: string): AlertTarget | undefined {
  if (SLIP.test(text)) return undefined;
  const named = TARGET_CLASSES.find((word) => text.startsWith(`${word}=`));
  const url = httpUrl.parse(named === undefined ? text : text.slice(named.length + 1));
  return url === undefined ? undefined : Object.freeze({ url, class: named });
}

/** A percentage; 0 turns off what it is for. */
export const percentage: OptionKind<number> = {
  placeholder: 'PERCENT',
  expected: 'a percentage from 0% (never) to 99%, such as 10% or 0.5%',
  parse: (text) => (/^\d{1,2}(\.\d{1,2})?%$/.test(text) ? Number(text.slice(0, -1)) : undefined),
};

/** A secret that both sides know and nobody else. */
export const sharedSecret: OptionKind<string> = {
  placeholder: 'SECRET',
  expected: '16 to 512 characters of visible ASCII without spaces',
  isSecret: true,
  parse: (text) => (/^[\x21-\x7e]{16,512}$/.test(text) ? text : undefined),
};

/** Where the log of a cluster lies; what is wrong with it otherwise is said when it is opened. */
export const sharedLog: OptionKind<string> = {
  placeholder: 'POSTGRES_URL',
  expected: 'postgres://USER@HOST:PORT,HOST:PORT/DB without a password',
  parse: (text) => (/^postgres(ql)?:\/\/[^:@/?\s]+@[^@\s]+$/.test(text) ? text : undefined),
};

export const nodeName: OptionKind<string> = {
  placeholder: 'NAME',
  expected: '1 to 40 characters of a-z, 0-9 and -',
  parse: (text) => (/^[a-z0-9-]{1,40}$/.test(text) ? text : undefined),
};

export const origin: OptionKind<string> = {
  placeholder: 'ORIGIN',
  expected: 'an http or https URL without user, path and query, such as https://a.shop.example',
  parse: (text) => {
    const href = httpUrl.parse(text);
    if (href === undefined) return undefined;
    const url = new URL(href);
    return href === `${url.origin}/` ? url.origin : undefined;
  },
};
