/** The line that buys the first item. The key that is typed here stays in the page: it is in nothing but the line. */
import { useId, useState } from 'preact/hooks';
import type { Schema } from '../../api/call-types.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import type { NodeStatus } from '../../shell/pulse.ts';

const BUYER_PATH = '/api/v1/buyer';
const KEY = /^pk_\w+$/;

export interface FirstPurchaseProps {
  readonly product: Schema<'Product'> | undefined;
  readonly account: Schema<'Account'> | undefined;
  readonly buyerApi: NodeStatus['buyerApi'];
}

export function FirstPurchase({ product, account, buyerApi }: FirstPurchaseProps) {
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
    `-d '${JSON.stringify(body)}' ${originOf(buyerApi)}${BUYER_PATH}/orders`,
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

/** A node that listens everywhere is found where this page came from. */
function originOf({ host, port }: NodeStatus['buyerApi']): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = isEverywhere ? location.hostname : host;
  return `http://${name.includes(':') && !name.startsWith('[') ? `[${name}]` : name}:${port}`;
}
