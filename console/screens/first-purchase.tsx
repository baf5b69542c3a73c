/** The line that buys the first item. The key that is typed here stays in the page: it is in nothing but the line. */
import { useId, useState } from 'preact/hooks';
import type { Schema } from '../api/call-types.ts';
import { call } from '../api/operator-api.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { useLiveAnswer } from '../shell/live-answer.ts';
import { may } from '../shell/roles.ts';

const DEFAULT_PORT = '8080';
const BUYER_PATH = '/api/v1/buyer';
const KEY = /^pk_\w+$/;

export interface FirstPurchaseProps {
  readonly product: Schema<'Product'> | undefined;
  readonly account: Schema<'Account'> | undefined;
}

export function FirstPurchase({ product, account }: FirstPurchaseProps) {
  const { answer: origin = buyerOrigin({}) } = useLiveAnswer('buyer API', loadOrigin);
  const [key, setKey] = useState('');
  const [idempotencyKey] = useState(() => `first-${Date.now().toString(36)}`);
  const id = useId();
  if (product === undefined || account === undefined) return null;
  const { productId, priceUsdt, requiresRecipient } = product;
  const body = {
    productId,
    quantity: 1,
    expectedPriceUsdt: priceUsdt,
    ...(requiresRecipient && { recipient: { username: '@some_one' } }),
  };
  const line = [
    `curl -s -H 'X-API-Key: ${KEY.test(key) ? key : `${account.keyPrefix ?? 'pk_live_'}…`}'`,
    `-H 'Idempotency-Key: ${idempotencyKey}' -H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(body)}' ${origin}${BUYER_PATH}/orders`,
  ].join(' ');
  return (
    <div class="first-purchase">
      <div class="field">
        <label for={id}>API key</label>
        <input
          id={id}
          type="text"
          autocomplete="off"
          spellcheck={false}
          value={key}
          aria-describedby={`${id}-hint`}
          onInput={({ currentTarget }) => setKey(currentTarget.value.trim())}
        />
        <p class="hint" id={`${id}-hint`}>
          Paste the key of account {account.accountId}. It stays in this page.
        </p>
      </div>
      <div class="command">
        <code>{line}</code>
        <CopyButton text={line} what="command line" />
      </div>
    </div>
  );
}

/** Of the settings, which owners may read; else as the defaults have it. */
async function loadOrigin(signal: AbortSignal): Promise<string> {
  if (!may('GET /settings')) return buyerOrigin({});
  const { settings } = await call('GET /settings', { signal });
  return buyerOrigin(Object.fromEntries(settings.map(({ name, value }) => [name, String(value ?? '')])));
}

/** A node that listens everywhere is found where this page came from. Of port 0 only its log knows what it became. */
function buyerOrigin({
  host = '',
  port = DEFAULT_PORT,
}: {
  readonly host?: string;
  readonly port?: string;
}): string {
  const isEverywhere = host === '' || host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? location.hostname : host;
  return `http://${name.includes(':') && !name.startsWith('[') ? `[${name}]` : name}:${port === '0' ? 'PORT' : port}`;
}
