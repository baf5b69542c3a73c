import { Screen } from '../shell/screen.tsx';

export function FeedScreen() {
  return (
    <Screen title="Feed">
      <p class="empty">This screen is not built yet.</p>
    </Screen>
  );
}
