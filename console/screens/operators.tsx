import { Screen } from '../shell/screen.tsx';

export function OperatorsScreen() {
  return (
    <Screen title="Operators">
      <p class="empty">This screen is not built yet.</p>
    </Screen>
  );
}
