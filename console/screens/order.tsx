import { Screen } from '../shell/screen.tsx';

export function OrderScreen({ id }: { readonly id: number }) {
  return (
    <Screen title={`Order ${id}`}>
      <p class="empty">This screen is not built yet.</p>
    </Screen>
  );
}
