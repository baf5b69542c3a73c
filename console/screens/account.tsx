import { Screen } from '../shell/screen.tsx';

export function AccountScreen({ id }: { readonly id: number }) {
  return (
    <Screen title={`Account ${id}`}>
      <p class="empty">This screen is not built yet.</p>
    </Screen>
  );
}
