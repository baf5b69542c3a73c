/** How long the first page of each listing of the operator's API takes. */
import { OperatorClient } from '../../test/support/operator-client.ts';
import { median } from '../measure/statistics.ts';
import type { Stage } from '../shop/stage.ts';
import type { Violations } from '../shop/violations.ts';

export interface FirstPage {
  readonly path: string;
  /** The very first time on this node. */
  readonly firstMs: number;
  readonly medianMs: number;
}

const TIMES = 5;

export async function readFirstPages({ node, world }: Stage, violations: Violations): Promise<FirstPage[]> {
  const operator = new OperatorClient(node.operatorUrl, node.operatorToken);
  const accountId = world.accounts[0]?.accountId ?? 0;
  const productId = world.products[0]?.productId ?? 0;
  const paths = [
    '/orders',
    `/orders?accountId=${accountId}`,
    `/orders?productId=${productId}`,
    `/orders?accountId=${accountId}&productId=${productId}`,
    '/orders?status=completed',
    '/orders?status=refunded',
    '/accounts',
    `/accounts/${accountId}/statement`,
    '/products',
    `/products/${productId}/lots`,
    '/audit',
    `/webhooks/${accountId}/deliveries`,
  ];
  // The connection is there, and what only a first request pays for is paid.
  await operator.getAccount(accountId);
  const pages: FirstPage[] = [];
  for (const path of paths) {
    const times: number[] = [];
    for (let time = 0; time < TIMES; time += 1) {
      const startMs = performance.now();
      const { status, text } = await operator.json('GET', path);
      times.push(performance.now() - startMs);
      if (status !== 200) violations.add(`GET ${path} was answered ${status} ${text.slice(0, 200)}`);
    }
    pages.push({ path, firstMs: times[0] ?? Number.NaN, medianMs: median(times) });
  }
  return pages;
}
