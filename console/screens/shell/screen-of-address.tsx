/** Which screen an address shows: a list, or the detail when there is an id. */
import type { ComponentType } from 'preact';
import { HOME, idOf, route } from '../../shell/router.ts';
import { Screen } from '../../shell/screen.tsx';
import { AccountScreen } from '../accounts/account.tsx';
import { AccountsScreen } from '../accounts/accounts.tsx';
import { DepositsScreen } from '../deposits/deposits.tsx';
import { AuditScreen } from '../node/audit.tsx';
import { NodeScreen } from '../node/node.tsx';
import { OperatorsScreen } from '../operators/operators.tsx';
import { OrderScreen } from '../orders/order.tsx';
import { OrdersScreen } from '../orders/orders.tsx';
import { OverviewScreen } from '../overview/overview.tsx';
import { PriceListScreen } from '../prices/price-list.tsx';
import { PriceListsScreen } from '../prices/price-lists.tsx';
import { ProductScreen } from '../products/product.tsx';
import { ProductsScreen } from '../products/products.tsx';
import { SuppliersScreen } from '../suppliers/suppliers.tsx';
import { DeliveriesScreen } from '../webhooks/deliveries.tsx';
import { WebhookScreen } from '../webhooks/webhook.tsx';
import { WebhooksScreen } from '../webhooks/webhooks.tsx';

interface Shown {
  readonly List: ComponentType;
  readonly Detail?: ComponentType<{ readonly id: number }>;
}

const SCREENS: Readonly<Record<string, Shown>> = {
  overview: { List: OverviewScreen },
  accounts: { List: AccountsScreen, Detail: AccountScreen },
  deposits: { List: DepositsScreen },
  products: { List: ProductsScreen, Detail: ProductScreen },
  'price-lists': { List: PriceListsScreen, Detail: PriceListScreen },
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
