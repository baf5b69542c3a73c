import { Screen } from '../shell/screen.tsx';

export function NodeScreen() {
  return (
    <Screen title="Node">
      <p class="empty">This screen is not built yet.</p>
    </Screen>
  );
}
