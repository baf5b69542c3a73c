import { Screen } from '../shell/screen.tsx';

export function DeliveriesScreen() {
  return (
    <Screen title="To deliver">
      <p class="empty">This screen is not built yet.</p>
    </Screen>
  );
}
