import { Screen } from '../shell/screen.tsx';

export function OrdersScreen() {
  return (
    <Screen title="Orders">
      <p class="empty">This screen is not built yet.</p>
    </Screen>
  );
}
