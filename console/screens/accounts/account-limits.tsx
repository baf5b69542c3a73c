/**
 * The operator's settings of an account: its names, its price list, how much its programs may ask; what it may spend,
 * and from where its key works. Only what one has changed is sent, so that nothing of others' is written over.
 */
import { useState } from 'preact/hooks';
import type { GivenTo, Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action, ActionDialog } from '../../parts/dialogs/action-dialog.tsx';
import { ActionOpener } from '../../parts/dialogs/action-opener.tsx';
import { optionsOf, useChoices } from '../../parts/forms/choices.ts';
import { AMOUNT_PART, lines, reason, rows, select, text, whole } from '../../parts/forms/field.tsx';

type Account = Schema<'Account'>;
type Changes = GivenTo<'PATCH /accounts/{id}'>['body'];

const MOST_LISTS = 1_000;
const MOST_SPEND_LIMITS = 4;
const MOST_HOURS = 744;
const CHANGE = { name: 'Change account', needs: 'PATCH /accounts/{id}', look: 'small' } as const;

interface OfAccount {
  readonly account: Account;
}

export function ChangeAccount({ account }: OfAccount) {
  return <ActionOpener {...CHANGE} dialog={(close) => <ChangeDialog account={account} onClose={close} />} />;
}

function ChangeDialog({ account: now, onClose }: OfAccount & { readonly onClose: () => void }) {
  const [account] = useState(now);
  const { accountId, name, rateLimitPerMinute, webhookConcurrency, externalId, priceListId } = account;
  const priceLists = useChoices(async (signal) => {
    const page = await call('GET /price-lists', { query: { limit: MOST_LISTS }, signal });
    return page.priceLists.map((list) => ({ id: list.priceListId, name: list.name }));
  });
  return (
    <ActionDialog
      {...CHANGE}
      onClose={onClose}
      fields={{
        name: text({ label: 'Name', initial: name }),
        externalId: text({
          label: 'External id',
          initial: externalId ?? '',
          isOptional: true,
          maxLength: 128,
          hint: 'Your own name for it, such as telegram:123. No other account has it.',
        }),
        priceListId: select({
          label: 'Price list',
          initial: priceListId ?? '',
          isOptional: true,
          options: optionsOf(priceLists, priceListId ?? undefined, 'none: what the products cost'),
        }),
        rateLimitPerMinute: whole({
          label: 'Requests a minute',
          initial: rateLimitPerMinute ?? '',
          isOptional: true,
          min: 1,
          max: 1_000_000,
          hint: 'Empty: no limit. In force at once.',
        }),
        webhookConcurrency: whole({
          label: 'Webhooks at once',
          initial: webhookConcurrency,
          min: 1,
          max: 64,
        }),
        reason: reason(),
      }}
      command={(values) => {
        const changes = changesOf(account, settingsOf(values));
        return purser('account update', [accountId], {
          name: changes.name,
          'external-id': orNone(changes.externalId),
          'price-list': orNone(changes.priceListId),
          'rate-limit': orNone(changes.rateLimitPerMinute),
          'webhook-concurrency': changes.webhookConcurrency,
          reason: values.reason,
        });
      }}
      run={(values) => change(account, settingsOf(values), values.reason)}
      onDone={() => announce('The account is changed.')}
    />
  );
}

interface Settings {
  readonly name: string;
  readonly externalId: string | undefined;
  readonly priceListId: string;
  readonly rateLimitPerMinute: number | undefined;
  readonly webhookConcurrency: number;
}

function settingsOf({ name, webhookConcurrency, ...given }: Settings): Changes {
  return {
    name,
    webhookConcurrency,
    externalId: given.externalId ?? null,
    priceListId: given.priceListId === '' ? null : Number(given.priceListId),
    rateLimitPerMinute: given.rateLimitPerMinute ?? null,
  };
}

export function ChangeLimits({ account }: OfAccount) {
  const { accountId, spendLimits, allowedNetworks } = account;
  return (
    <Action
      name="Change limits"
      needs="PATCH /accounts/{id}"
      look="small"
      fields={{
        spendLimits: rows({
          label: 'Spend limits',
          noun: 'spend limit',
          most: MOST_SPEND_LIMITS,
          hint: 'The most that it buys for in any so many hours. What it has bought before counts.',
          parts: [
            { label: 'Hours', attributes: { type: 'number', min: 1, max: MOST_HOURS, step: 1 } },
            { label: 'USDT at most', attributes: AMOUNT_PART },
          ],
          initial: spendLimits.map((limit) => [String(limit.windowHours), String(limit.amountUsdt)] as const),
          one: (hours, usdt) => ({ windowHours: Number(hours), amountUsdt: Number(usdt) }),
        }),
        allowedNetworks: lines({
          label: 'Allowed networks',
          rows: 3,
          isOptional: true,
          initial: allowedNetworks?.join('\n'),
          hint: 'One a line: 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32. From elsewhere its key is a wrong key. Empty: anywhere.',
        }),
        reason: reason(),
      }}
      command={(values) => {
        const { spendLimits: most, allowedNetworks: from } = changesOf(account, limitsOf(values));
        return purser('account update', [accountId], {
          'spend-limit': most?.map(({ windowHours, amountUsdt }) => `${windowHours}:${amountUsdt}`),
          'no-spend-limit': most?.length === 0,
          'allowed-networks': from === null ? 'none' : from?.join(','),
          reason: values.reason,
        });
      }}
      run={(values) => change(account, limitsOf(values), values.reason)}
      onDone={() => announce('The limits are changed.')}
    />
  );
}

function limitsOf(given: {
  readonly spendLimits: NonNullable<Changes['spendLimits']>;
  readonly allowedNetworks: readonly string[];
}): Changes {
  const { spendLimits, allowedNetworks } = given;
  return { spendLimits, allowedNetworks: allowedNetworks.length === 0 ? null : allowedNetworks };
}

function changesOf(was: Account, is: Changes): Changes {
  const before: Readonly<Record<string, unknown>> = { ...was };
  return Object.fromEntries(
    Object.entries(is).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key])),
  );
}

function change(account: Account, is: Changes, why: string | undefined) {
  const body = { ...changesOf(account, is), reason: why };
  return call('PATCH /accounts/{id}', { path: { id: account.accountId }, body });
}

function orNone<Value>(value: Value | null | undefined): Value | 'none' | undefined {
  return value === null ? 'none' : value;
}
