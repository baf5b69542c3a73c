/** Which screen an address shows: a list, or the detail when there is an id. */
import type { ComponentType } from 'preact';
import { HOME, idOf, route } from '../shell/router.ts';
import { Screen } from '../shell/screen.tsx';
import { AccountScreen } from './account.tsx';
import { AccountsScreen } from './accounts.tsx';
import { AuditScreen } from './audit.tsx';
import { DeliveriesScreen } from './deliveries.tsx';
import { NodeScreen } from './node.tsx';
import { OperatorsScreen } from './operators.tsx';
import { OrderScreen } from './order.tsx';
import { OrdersScreen } from './orders.tsx';
import { OverviewScreen } from './overview.tsx';
import { ProductScreen } from './product.tsx';
import { ProductsScreen } from './products.tsx';
import { SuppliersScreen } from './suppliers.tsx';
import { WebhookScreen } from './webhook.tsx';
import { WebhooksScreen } from './webhooks.tsx';

interface Shown {
  readonly List: ComponentType;
  readonly Detail?: ComponentType<{ readonly id: number }>;
}

const SCREENS: Readonly<Record<string, Shown>> = {
  overview: { List: OverviewScreen },
  accounts: { List: AccountsScreen, Detail: AccountScreen },
  products: { List: ProductsScreen, Detail: ProductScreen },
  orders: { List: OrdersScreen, Detail: OrderScreen },
  deliveries: { List: DeliveriesScreen },
  suppliers: { List: SuppliersScreen },
  webhooks: { List: WebhooksScreen, Detail: WebhookScreen },
  audit: { List: AuditScreen },
  operators: { List: OperatorsScreen },
  node: { List: NodeScreen },
};

export function ScreenOfAddress() {
  const { screen, id } = route.value;
  const shown = Object.hasOwn(SCREENS, screen) ? SCREENS[screen] : undefined;
  if (shown !== undefined && id === '') return <shown.List />;
  const itsId = idOf(id);
  if (shown?.Detail !== undefined && itsId !== undefined) return <shown.Detail id={itsId} />;
  return (
    <Screen title="Not found">
      <p class="empty">
        There is no such screen. <a href={HOME}>Go to Overview</a>
      </p>
    </Screen>
  );
}
