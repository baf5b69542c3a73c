import { Screen } from '../shell/screen.tsx';

export function ProductScreen({ id }: { readonly id: number }) {
  return (
    <Screen title={`Product ${id}`}>
      <p class="empty">This screen is not built yet.</p>
    </Screen>
  );
}
