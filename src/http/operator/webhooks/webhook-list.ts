/**
 * GET /webhooks: the accounts that have a webhook, where it goes, and whether it works.
 *
 * The state knows who has one; how deliveries go, the outbox's thread does, which is asked for a page at a time. So
 * what a page costs has a bound, however many events wait.
 */
import type { Account } from '../../../engine/accounts.ts';
import type { Webhook } from '../../../engine/webhook.ts';
import { Slices } from '../../../shared/slices.ts';
import type { Fields } from '../../../views/operator-views.ts';
import type { OperatorDeliveries } from '../../../webhooks/operator-deliveries.ts';
import { webhookFields } from '../accounts/accounts.ts';
import type { OperatorContext } from '../operator-context.ts';
import { type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import { type Page, pageQuery } from '../page.ts';
import { LIST_WEBHOOKS } from './webhook-operations.ts';
import { NOT_NOW } from './webhooks.ts';

type Services = Pick<OperatorServices, 'engine' | 'webhooks'>;
type Subscriber = Readonly<Account> & { readonly webhook: Webhook };
type Report = NonNullable<Awaited<ReturnType<OperatorDeliveries['reports']>>>;

/** The most webhooks of a page; events of each are counted for it. */
const MAX_WEBHOOKS = 50;
/** Accounts that are looked at between two looks at the clock. */
const ACCOUNTS_PER_LOOK = 1_024;

const FAILING = {
  type: 'boolean',
  description: 'With `true` only those whose latest attempt failed.',
} as const;

export function webhookListRoutes(services: Services): OperatorRoute[] {
  return [
    operatorRoute(
      'GET /webhooks',
      LIST_WEBHOOKS,
      (context) => {
        const onlyFailing = context.flag('failing', false);
        if (onlyFailing === undefined) return;
        context.withPage(
          (page) => context.run(() => list(services, context, page, onlyFailing)),
          MAX_WEBHOOKS,
        );
      },
      { query: { failing: FAILING, ...pageQuery(MAX_WEBHOOKS) } },
    ),
  ];
}

async function list(
  services: Services,
  context: OperatorContext,
  page: Page,
  onlyFailing: boolean,
): Promise<void> {
  const { engine, webhooks } = services;
  const ids = onlyFailing
    ? await webhooks.failingAbove(page.after, page.limit + 1)
    : await subscribersAbove(services, page.after, page.limit + 1);
  const reports = ids && (await webhooks.reports(ids));
  if (ids === undefined || reports === undefined) return context.fail(NOT_NOW);
  const shown = ids.slice(0, page.limit);
  const subscribers = shown.map((id) => engine.state.accounts.get(id)).filter(isSubscriber);
  const nextCursor = ids.length > page.limit ? { nextCursor: String(shown.at(-1)) } : {};
  context.succeedWhenDurable(200, {
    webhooks: subscribers.map((subscriber) => rowFields(subscriber, reports)),
    ...nextCursor,
  });
}

async function subscribersAbove({ engine }: Services, after: number, most: number): Promise<number[]> {
  const ids: number[] = [];
  const slices = new Slices();
  for (let id = after + 1; id < engine.state.accounts.nextId && ids.length < most; id += 1) {
    if (isSubscriber(engine.state.accounts.get(id))) ids.push(id);
    if (id % ACCOUNTS_PER_LOOK === 0 && slices.isFull) await slices.rest();
  }
  return ids;
}

function isSubscriber(account: Readonly<Account> | undefined): account is Subscriber {
  return account !== undefined && account.webhook !== null;
}

function rowFields({ accountId, profile, webhook }: Subscriber, reports: Report): Fields {
  const report = reports.get(accountId);
  return {
    accountId,
    name: profile.name,
    ...webhookFields(webhook),
    failing: report?.isFailing ?? false,
    pending: report?.pending ?? 0,
  };
}
