/**
 * GET /overview: the shop's state in one small answer, which a page may ask for every few seconds.
 *
 * Invariant: the answer costs the same however large the shop is, a tenth of a millisecond. Its figures are counted as
 * things happen, or gathered by the watches of the alerts; only lists that have a bound are gone through.
 */
import type { ShortestCover } from '../../../alerts/shortest-cover.ts';
import type { StandingAlerts } from '../../../alerts/standing-alerts.ts';
import { productCopy } from '../../../engine/loop/row-copy.ts';
import { usdtFromMicros } from '../../../engine/money.ts';
import type { LastHour, Span } from '../../../metrics/last-hour.ts';
import type { Fields } from '../../../views/operator-views.ts';
import type { MetricSources } from '../../metrics/metrics.ts';
import { type OperatorRoute, type OperatorServices, operatorRoute } from '../operator-route.ts';
import type { PaceServices } from '../products/product-row.ts';
import { TOTALS } from '../roles.ts';
import { waitingDeliveries } from '../webhooks/waiting-deliveries.ts';
import { masterKeyFields } from './node-status.ts';
import { GET_OVERVIEW } from './overview-operations.ts';

export interface OverviewServices
  extends PaceServices,
    Pick<OperatorServices, 'engine' | 'orderIndex' | 'clock' | 'keys'> {
  readonly isReady: () => boolean;
  readonly alerts: { readonly standing: Pick<StandingAlerts, 'total'> };
  readonly shortestCover: Pick<ShortestCover, 'productIds'>;
  readonly figures: Pick<
    MetricSources,
    'measured' | 'webhookFigures' | 'supplierCircuits' | 'backup' | 'drills'
  >;
}

export function overviewRoutes(services: OverviewServices): OperatorRoute[] {
  return [
    operatorRoute('GET /overview', GET_OVERVIEW, (context) => {
      const { engine, clock, isReady, figures } = services;
      const { lastHour, disk } = figures.measured;
      const money: MoneyField = context.isFor(TOTALS)
        ? (micros) => ({ usdt: usdtFromMicros(micros) })
        : () => ({});
      context.succeedWhenDurable(200, {
        at: clock(),
        ready: isReady(),
        journalPosition: engine.state.position,
        ...salesFields(services, money),
        minutes: lastHour.bars.map((span) => minuteFields(span, money)),
        stock: stockFields(services),
        attention: attentionFields(services),
        backup: backupFields(services),
        ...masterKeyFields(services.keys),
        disk: disk.figures ?? null,
      });
    }),
  ];
}

/** The field of an amount of sales; nothing for callers who may not see amounts. */
type MoneyField = (micros: number) => Fields;

function salesFields({ figures }: OverviewServices, money: MoneyField): Fields {
  const { sales, lastHour, refusals } = figures.measured;
  const { orders, units, micros } = sales.total;
  const { justNow, lastMinute } = lastHour;
  return {
    sold: { orders, units, ...money(micros) },
    purchases: {
      perSecond: justNow.seconds === 0 ? 0 : round(justNow.orders / justNow.seconds),
      p50Ms: lastMinute.p50Ms,
      p99Ms: lastMinute.p99Ms,
    },
    refusals: refusalFields(refusals.counts, lastHour.refusals),
  };
}

/** Refusals by error, without errors that there were none of. */
function refusalFields(counts: Readonly<Record<string, number>>, lastHour: LastHour['refusals']): Fields[] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([error, count]) => ({ error, count, lastHour: lastHour[error as keyof typeof lastHour] }));
}

function minuteFields({ atMs, seconds, micros, ...others }: Span, money: MoneyField): Fields {
  return { at: atMs, seconds: round(seconds), ...money(micros), ...others };
}

function stockFields({ engine, shortestCover, pace, monotonicMs }: OverviewServices): Fields[] {
  const { state } = engine;
  return shortestCover.productIds.flatMap((productId) => {
    const product = state.products.get(productId);
    const hoursOfCover = pace.hoursOfCover(monotonicMs(), productId);
    if (product === undefined || hoursOfCover === null) return [];
    const { profile, availableStock } = productCopy(state.stock, product);
    return [{ productId, name: profile.name, availableStock, hoursOfCover }];
  });
}

function attentionFields({ engine, orderIndex, alerts, figures }: OverviewServices): Fields {
  const { state } = engine;
  const { failingReceivers, pending } = figures.webhookFigures();
  const circuits = Array.from(figures.supplierCircuits());
  return {
    deliveries: waitingDeliveries(state, orderIndex),
    supplierPurchasesOpen: state.supplierPurchases.size,
    supplierPurchasesUnresolved: state.supplierPurchases.unresolvedCount,
    supplierCircuitsOpen: circuits.filter(([, isOpen]) => isOpen).length,
    webhooksFailing: failingReceivers,
    webhookEventsPending: pending,
    alertsFiring: alerts.standing.total,
  };
}

/** Null without a continuous backup. */
function backupFields({ figures: { backup, drills } }: OverviewServices): Fields | null {
  if (backup === undefined) return null;
  const drill = drills?.last ?? null;
  return {
    lagSeconds: round(backup.lagMs / 1_000),
    drillOk: drill === null ? null : drill.ok,
    drillAgeSeconds: drills === undefined ? null : Math.round(drills.ageMs / 1_000),
  };
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
