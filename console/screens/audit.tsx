import { Screen } from '../shell/screen.tsx';

export function AuditScreen() {
  return (
    <Screen title="Audit">
      <p class="empty">This screen is not built yet.</p>
    </Screen>
  );
}
