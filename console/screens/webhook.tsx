import { Screen } from '../shell/screen.tsx';

export function WebhookScreen({ id }: { readonly id: number }) {
  return (
    <Screen title={`Webhooks of account ${id}`}>
      <p class="empty">This screen is not built yet.</p>
    </Screen>
  );
}
