/** The chat that an account is of, and the bot that made it; only where there is one of them. */
import { Fact, Facts } from '../../parts/facts.tsx';
import { Panel } from '../../parts/panel.tsx';
import { addressOf } from '../../shell/router.ts';
import { NameOf } from '../shell/known-names.tsx';
import type { Account } from './account-panels.tsx';

/** Groups have negative ids; nobody can be opened by one. */
const TELEGRAM = /^telegram:(-?)(\d+)$/;

export function ChatPanel({ account: { externalId, botId } }: { readonly account: Account }) {
  const [, minus, digits] = TELEGRAM.exec(externalId ?? '') ?? [];
  if (digits === undefined && botId === undefined) return null;
  return (
    <Panel title="Chat">
      <Facts>
        <Fact name="Telegram id" is={digits && <code>{`${minus}${digits}`}</code>} />
        <Fact
          name="Open"
          is={minus === '' && digits && <a href={`tg://user?id=${digits}`}>In Telegram, on this device</a>}
        />
        <Fact name="Made by">
          {botId === undefined ? (
            'no bot'
          ) : (
            <a href={addressOf('operators')}>
              <NameOf kind="operator" id={botId} />
            </a>
          )}
        </Fact>
      </Facts>
    </Panel>
  );
}
