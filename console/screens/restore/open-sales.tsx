/** Opens sales after a restore, once it is chosen what becomes of all that the gap may have taken away. */
import type { AnswerOf } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { type Field, reason, select } from '../../parts/forms/field.tsx';
import { counted } from '../../parts/money.tsx';
import { Time } from '../../parts/time.tsx';
import { type TakenAway, type TakenKind, TakenRows } from './taken-away.tsx';

type Undecided = NonNullable<AnswerOf<'GET /restore'>['undecided']>;
type Kind = keyof Undecided;
type Choice = '' | 'keep' | 'end';

const WORDS = {
  keys: {
    label: 'API keys',
    taken: ['keys', 'accounts'],
    end: 'Deactivate them: those whose buyer you know you activate again, or replace',
  },
  operators: {
    label: 'Operators',
    taken: ['operators'],
    end: 'Revoke them: those who still work here get new ones',
  },
  webhooks: { label: 'Webhooks', taken: ['webhooks'], end: 'Delete them: buyers register again' },
  products: {
    label: 'Products on sale',
    taken: ['products', 'lots', 'items', 'suppliers', 'priceLists', 'listPrices', 'accountPrices'],
    end: 'Deactivate them: look at price and stock, and activate again',
  },
} as const satisfies Record<Kind, { label: string; end: string; taken: readonly TakenKind[] }>;

interface OpenSalesProps {
  readonly undecided: Undecided;
  /** The effect of later facts of the backup; null when it had none. */
  readonly taken: TakenAway | null;
}

export function OpenSales({ undecided, taken }: OpenSalesProps) {
  const fieldOf = (kind: Kind) => choice(kind, undecided, taken);
  return (
    <Action
      name="Open sales"
      needs="POST /restore/open"
      isGrave
      about={
        <>
          <p>What was sold in the gap, and is not entered by now, may be sold again.</p>
          <p>
            What was taken away in the gap is there again: replaced keys and tokens, revoked operators,
            deleted webhooks, deactivated products and old prices. {whatIsKnown(taken)} What came since the
            restore stays in any case.
          </p>
        </>
      }
      fields={{
        keys: fieldOf('keys'),
        operators: fieldOf('operators'),
        webhooks: fieldOf('webhooks'),
        products: fieldOf('products'),
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

/** The choice for a kind. A kind without rows needs none. */
function choice(kind: Kind, undecided: Undecided, taken: TakenAway | null): Field<Choice> {
  const { label, end, taken: kinds } = WORDS[kind];
  const count = undecided[kind];
  const options = [
    ['', 'Choose…'],
    ['keep', 'Keep them as they were restored'],
    ['end', end],
  ] as const;
  const named = { label: `${label}: ${counted(count)} as restored`, initial: count === 0 ? 'keep' : '' };
  return { ...select<Choice>({ ...named, options }), below: <TakenRows taken={taken} kinds={kinds} /> };
}

function whatIsKnown(taken: TakenAway | null) {
  if (taken === null) return 'This backup has no later facts, so nobody knows what that was.';
  return (
    <>
      What is known of it, up to <Time at={taken.to} />, stands below each choice; what happened later is
      unknown.
    </>
  );
}

/** The browser sends no form in which a choice is missing. */
function chosen(value: Choice): 'keep' | 'end' {
  return value === 'end' ? 'end' : 'keep';
}
