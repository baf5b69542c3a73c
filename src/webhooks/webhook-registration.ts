/**
 * The registration of a webhook: judges where it goes, and makes its secret (SPEC.md §4, POST /webhook).
 *
 * The host is looked up anew each time, whatever deliveries know of it, and a look-up ends within its deadline. A
 * look-up has its turn among those of all accounts, of which each has few at a time. An account whose look-up took long
 * has its next ones among accounts like it, whatever hosts it names: names below a silent one are free, and accounts
 * aren't.
 */

import type { HostLookup } from '../outgoing/host-resolver.ts';
import type { SecretCipher } from '../persistence/keys/secret-cipher.ts';
import type { AddressPolicy } from './destination/address-policy.ts';
import { resolveDestination } from './destination/destination.ts';
import { DESTINATION_REFUSALS } from './destination/destination-refusal.ts';
import { parseWebhookUrl } from './destination/webhook-url.ts';
import { maskedSecret, newWebhookSecret, standardSecret } from './webhook-secret.ts';

/** Waiting for their turn, or under way. */
const MAX_LOOKUPS_PER_ACCOUNT = 4;
const TOO_MANY = 'Too many registrations of this account are under way; try again in a few seconds.';

export interface WebhookRegistrationOptions {
  /** The look-up of hosts, whose deadline keeps registrations within 5 s. */
  readonly resolver: HostLookup;
  readonly policy: AddressPolicy;
  readonly secrets: SecretCipher;
}

export class WebhookRegistration {
  readonly #options: WebhookRegistrationOptions;
  /** Look-ups under way, by account; accounts without one have no entry. */
  readonly #underWay = new Map<number, number>();

  constructor(options: WebhookRegistrationOptions) {
    this.#options = options;
  }

  /** Why nothing may be sent there; undefined when it may. `isBusy`: a later try may succeed. Within 5 s; never rejects. */
  async refusalOf(
    accountId: number,
    text: string,
  ): Promise<{ readonly message: string; readonly isBusy: boolean } | undefined> {
    const parsed = parseWebhookUrl(text);
    if ('refusal' in parsed) return { message: DESTINATION_REFUSALS[parsed.refusal], isBusy: false };
    const underWay = this.#underWay.get(accountId) ?? 0;
    if (underWay >= MAX_LOOKUPS_PER_ACCOUNT) return { message: TOO_MANY, isBusy: true };
    this.#underWay.set(accountId, underWay + 1);
    try {
      const { resolver, policy } = this.#options;
      const asker = `account ${accountId}`;
      const destination = await resolveDestination(parsed.url.hostname, resolver, policy, asker);
      if ('addresses' in destination) return undefined;
      const { refusal } = destination;
      return { message: DESTINATION_REFUSALS[refusal], isBusy: refusal === 'lookup-busy' };
    } finally {
      const left = (this.#underWay.get(accountId) ?? 0) - 1;
      if (left > 0) this.#underWay.set(accountId, left);
      else this.#underWay.delete(accountId);
    }
  }

  /** A new secret: in full, in both forms, for the one answer that shows it, and sealed for everything else. */
  newSecret(accountId: number): {
    readonly secret: string;
    readonly standardWebhooksSecret: string;
    readonly sealedSecret: string;
  } {
    const secret = newWebhookSecret();
    const sealedSecret = this.#options.secrets.seal(secret, accountId);
    return { secret, standardWebhooksSecret: standardSecret(secret), sealedSecret };
  }

  /** Three asterisks and the last 4 characters; undefined when the secret can't be read any more. */
  maskedSecret(accountId: number, sealedSecret: string): string | undefined {
    const secret = this.#options.secrets.open(sealedSecret, accountId);
    return secret === undefined ? undefined : maskedSecret(secret);
  }
}
