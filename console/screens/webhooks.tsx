import { Screen } from '../shell/screen.tsx';

export function WebhooksScreen() {
  return (
    <Screen title="Webhooks">
      <p class="empty">This screen is not built yet.</p>
    </Screen>
  );
}
