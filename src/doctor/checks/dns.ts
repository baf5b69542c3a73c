/** Name servers, asked as webhooks and suppliers do: by c-ares, past /etc/hosts. */
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Config } from '../../config/config.ts';
import { codeOf } from '../../shared/error-code.ts';
import type { CheckedMachine } from '../checked-machine.ts';
import { type Finding, failed, ok, together, warning } from '../finding.ts';

const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** Where no setting names a host: it is reserved for uses such as this one. */
const EXAMPLE = 'example.com';
const NO_SUCH_NAME: readonly string[] = ['ENOTFOUND', 'ENODATA'];

export async function dns({ config, env }: CheckedMachine): Promise<Finding> {
  const servers = config.dnsServer === undefined ? new Resolver().getServers() : [config.dnsServer];
  const named = namedHosts(config, env.PURSER_S3_ENDPOINT);
  const hosts = named.length === 0 ? [EXAMPLE] : named;
  const asked = servers.flatMap((server) => hosts.map((host) => answerOf(server, host)));
  return judgeAnswers(await Promise.all(asked), named);
}

export interface DnsAnswer {
  readonly server: string;
  readonly host: string;
  /** Undefined when it has an address. */
  readonly code: string | undefined;
}

/** `named`: the hosts that must be there. For any other, the word that there is none is an answer, too. */
export function judgeAnswers(answers: readonly DnsAnswer[], named: readonly string[]): Finding {
  const servers = [...new Set(answers.map(({ server }) => server))];
  const isAnswer = ({ code }: DnsAnswer) => code === undefined || NO_SUCH_NAME.includes(code);
  const silent = servers.filter(
    (server) => !answers.some((each) => each.server === server && isAnswer(each)),
  );
  const advice = 'correct /etc/resolv.conf, or name another with --dns-server';
  if (silent.length === servers.length)
    return failed(
      `no name server answers (${list(servers) || 'there is none'}), so webhooks and suppliers cannot be reached: ${advice}`,
    );
  const missing = named.filter(
    (host) => !answers.some((each) => each.host === host && each.code === undefined),
  );
  return together([
    ok(`${list(servers)} answers`),
    ...silent.map((server) => warning(`the name server ${server} does not answer: ${advice}`)),
    ...missing.map((host) =>
      failed(`no name server knows ${host}, which the settings name: correct it there`),
    ),
  ]);
}

/** Hosts of the settings that are names. */
export function namedHosts(
  { alertTargets, url }: Pick<Config, 'alertTargets' | 'url'>,
  s3Endpoint: string | undefined,
): string[] {
  const urls = [...alertTargets.map((target) => target.url), url, s3Endpoint];
  const hosts = urls.flatMap((text) =>
    text !== undefined && URL.canParse(text) ? new URL(text).hostname : [],
  );
  return [...new Set(hosts)].filter(
    (host) => isIP(host.replace(/^\[|\]$/g, '')) === 0 && host !== 'localhost',
  );
}

async function answerOf(server: string, host: string): Promise<DnsAnswer> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  resolver.setServers([server]);
  const codes = await Promise.all([refusalOf(resolver.resolve4(host)), refusalOf(resolver.resolve6(host))]);
  return { server, host, code: codes.includes(undefined) ? undefined : codes[0] };
}

async function refusalOf(answer: Promise<unknown>): Promise<string | undefined> {
  try {
    await answer;
    return undefined;
  } catch (error) {
    return String(codeOf(error));
  }
}

function list(words: readonly string[]): string {
  return words.join(', ');
}
