import { Screen } from '../shell/screen.tsx';

export function ProductsScreen() {
  return (
    <Screen title="Products">
      <p class="empty">This screen is not built yet.</p>
    </Screen>
  );
}
