/** Opens sales after a restore, once it is chosen what becomes of all that the gap may have taken away. */
import type { AnswerOf } from '../api/call-types.ts';
import { call } from '../api/operator-api.ts';
import { Action } from '../parts/action-dialog.tsx';
import { announce } from '../parts/announcer.tsx';
import { purser } from '../parts/command-line.tsx';
import { type Field, reason, select } from '../parts/field.tsx';
import { counted } from '../parts/money.tsx';

type Undecided = NonNullable<AnswerOf<'GET /restore'>['undecided']>;
type Kind = keyof Undecided;
type Choice = '' | 'keep' | 'end';

const WORDS = {
  keys: {
    label: 'API keys',
    end: 'Deactivate them: those whose buyer you know you activate again, or replace',
  },
  operators: { label: 'Operators', end: 'Revoke them: those who still work here get new ones' },
  webhooks: { label: 'Webhooks', end: 'Delete them: buyers register again' },
  products: {
    label: 'Products on sale',
    end: 'Deactivate them: look at price and stock, and activate again',
  },
} as const satisfies Record<Kind, object>;

export function OpenSales({ undecided, look }: { readonly undecided: Undecided; readonly look?: 'small' }) {
  return (
    <Action
      name="Open sales"
      needs="POST /restore/open"
      {...(look !== undefined && { look })}
      isGrave
      about={
        <>
          <p>What was sold in the gap, and is not entered by now, may be sold again.</p>
          <p>
            What was taken away in the gap is there again, and nobody knows what that was: replaced keys and
            tokens, revoked operators, deleted webhooks, deactivated products and old prices. What came since
            the restore stays in any case.
          </p>
        </>
      }
      fields={{
        keys: choice('keys', undecided),
        operators: choice('operators', undecided),
        webhooks: choice('webhooks', undecided),
        products: choice('products', undecided),
        reason: reason(),
      }}
      command={({ keys, operators, webhooks, products, reason: why }) =>
        purser('restore open', [], {
          keys: keys || undefined,
          operators: operators || undefined,
          webhooks: webhooks || undefined,
          products: products || undefined,
          reason: why,
        })
      }
      run={({ keys, operators, webhooks, products, reason: why }) =>
        call('POST /restore/open', {
          body: {
            keys: chosen(keys),
            operators: chosen(operators),
            webhooks: chosen(webhooks),
            products: chosen(products),
            reason: why,
          },
        })
      }
      onDone={() => announce('Sales are open.')}
    />
  );
}

/** What there is nothing of needs no choice. */
function choice(kind: Kind, undecided: Undecided): Field<Choice> {
  const { label, end } = WORDS[kind];
  const count = undecided[kind];
  const options = [
    ['', 'Choose…'],
    ['keep', 'Keep them as they were restored'],
    ['end', end],
  ] as const;
  const named = { label: `${label}: ${counted(count)} as restored`, initial: count === 0 ? 'keep' : '' };
  return select<Choice>({ ...named, options });
}

/** The browser sends no form in which a choice is missing. */
function chosen(value: Choice): 'keep' | 'end' {
  return value === 'end' ? 'end' : 'keep';
}
