import { Screen } from '../shell/screen.tsx';

export function OverviewScreen() {
  return (
    <Screen title="Overview">
      <p class="empty">This screen is not built yet.</p>
    </Screen>
  );
}
