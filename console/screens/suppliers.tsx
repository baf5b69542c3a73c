import { Screen } from '../shell/screen.tsx';

export function SuppliersScreen() {
  return (
    <Screen title="Suppliers">
      <p class="empty">This screen is not built yet.</p>
    </Screen>
  );
}
