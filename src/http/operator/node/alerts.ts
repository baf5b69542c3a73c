/** GET /alerts: the states that go on, and the latest alerts, for who looks at the node and gets none of its posts. */
import type { Alerts } from '../../../alerts/alerts.ts';
import { type OperatorRoute, operatorRoute } from '../operator-route.ts';
import { LIST_ALERTS } from './alert-operations.ts';

/** Products may be low by the ten thousand; who sees so many looks no further. */
const MAX_FIRING = 1_000;

export interface AlertServices {
  readonly alerts: Pick<Alerts, 'standing' | 'latest'>;
}

export function alertRoutes({ alerts }: AlertServices): OperatorRoute[] {
  return [
    operatorRoute('GET /alerts', LIST_ALERTS, (context) => {
      const { standing, latest } = alerts;
      const firing = standing.list(MAX_FIRING);
      context.succeedWhenDurable(200, { firingCount: standing.total, firing, recent: latest.list() });
    }),
  ];
}
