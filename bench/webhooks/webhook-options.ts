/** The command line of the webhooks' benchmark, checked once. */
import { BadFlagError, list, wholeNumber } from '../commands/contention-options.ts';
import { type DeadKind, deadKinds } from './dead-endpoints.ts';

export const webhookScenarios = ['one-receiver', 'sustained', 'hanging', 'shares', 'pending'] as const;
export type WebhookScenario = (typeof webhookScenarios)[number];

export interface WebhookOptions {
  readonly scenarios: readonly WebhookScenario[];
  /** Purchases a second of the open loop. */
  readonly rate: number;
  readonly connections: number;
  readonly warmupMs: number;
  readonly measureMs: number;
  readonly rounds: number;
  /** The number of events of `pending`. */
  readonly events: number;
  /** The kinds of dead endpoints of `pending`, as many of each kind. */
  readonly dead: readonly DeadKind[];
  readonly seed: number;
}

/** As they come from the command line. */
export interface WebhookFlags {
  readonly scenario?: string;
  readonly rate?: string;
  readonly connections?: string;
  readonly seconds?: string;
  readonly rounds?: string;
  readonly events?: string;
  readonly dead?: string;
  readonly seed?: string;
}

const byDefault: readonly WebhookScenario[] = ['one-receiver', 'sustained', 'hanging', 'shares'];

/** Throws `BadFlagError` with a sentence for the user. */
export function webhookOptions(flags: WebhookFlags): WebhookOptions {
  return {
    scenarios: scenariosOf(flags.scenario),
    rate: wholeNumber('--rate', flags.rate ?? '3400', 1, 100_000),
    connections: wholeNumber('--connections', flags.connections ?? '256', 1, 16_384),
    warmupMs: 15_000,
    measureMs: wholeNumber('--seconds', flags.seconds ?? '6', 1, 60) * 1_000,
    rounds: wholeNumber('--rounds', flags.rounds ?? '3', 1, 99),
    events: wholeNumber('--events', flags.events ?? '1000000', 1_000, 10_000_000),
    dead: deadOf(flags.dead),
    seed: wholeNumber('--seed', flags.seed ?? '1', 0, 2 ** 31 - 1),
  };
}

/** In the order of the table, whatever order they were named in. */
function scenariosOf(text: string | undefined): WebhookScenario[] {
  const named = text === undefined ? byDefault : list(text);
  const unknown = named.find((name) => !webhookScenarios.includes(name as WebhookScenario));
  if (unknown !== undefined) {
    throw new BadFlagError(`there is no scenario "${unknown}"; there are ${webhookScenarios.join(', ')}`);
  }
  return webhookScenarios.filter((name) => named.includes(name));
}

function deadOf(text: string | undefined): DeadKind[] {
  const named = text === undefined ? ['refusing', 'silent'] : list(text);
  return named.map((name) => {
    const kind = deadKinds.find((each) => each === name);
    if (kind !== undefined) return kind;
    throw new BadFlagError(`--dead takes ${deadKinds.join(', ')}, not "${name}"`);
  });
}
