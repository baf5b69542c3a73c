/** One lot: its figures, who bought of it, and its recall with what that would do. */
import { useEffect, useRef } from 'preact/hooks';
import type { AnswerOf, Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { ReasonAction } from '../../parts/dialogs/reason-action.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import { pagesOf } from '../../parts/list/pages-of.ts';
import { counted, Money } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { addressOf } from '../../shell/router.ts';
import type { Lot } from './stock-upload.ts';

type Sold = Schema<'SoldOrder'>;

const SOLD_COLUMNS: readonly Column<Sold>[] = [
  { name: 'Order', narrow: [1, 'first'], width: '6rem', cell: ({ orderId }) => orderId },
  {
    name: 'Account',
    narrow: [2, 'all'],
    width: '6rem',
    cell: ({ accountId }) => <a href={addressOf('accounts', accountId)}>{accountId}</a>,
  },
  { name: 'Bought at', narrow: [1, 'middle'], width: 'minmax(0, 1fr)', cell: ({ at }) => <Time at={at} /> },
];

interface LotPanelProps {
  readonly productId: number;
  readonly lotId: number;
}

export function LotPanel({ productId, lotId }: LotPanelProps) {
  const { answer, failure } = useLiveAnswer(`lot ${lotId}`, (signal) =>
    call('GET /lots/{id}', { path: { id: lotId }, signal }),
  );
  const lot = answer?.productId === productId ? answer : undefined;
  const heading = useRef<HTMLElement>(null);
  useEffect(() => heading.current?.scrollIntoView({ block: 'nearest' }), [lotId]);
  return (
    <Panel
      title={<span ref={heading}>{`Lot ${lotId}`}</span>}
      actions={
        <>
          {lot !== undefined && <Recall lot={lot} />}
          <a class="button small" href={addressOf('products', productId)}>
            Close lot
          </a>
        </>
      }
    >
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {answer !== undefined && lot === undefined && (
        <p>
          This lot is of <a href={addressOf('products', answer.productId, { lot: lotId })}>another product</a>
          .
        </p>
      )}
      {lot !== undefined && (
        <>
          <LotFacts lot={lot} />
          <h3>Sold of it</h3>
          <SoldOrders lotId={lotId} />
        </>
      )}
    </Panel>
  );
}

function LotFacts({ lot }: { readonly lot: Lot }) {
  const {
    at,
    added,
    available,
    sold,
    withdrawn,
    quarantined = 0,
    costUsdt,
    source,
    reference,
    recalledAt,
  } = lot;
  return (
    <Facts>
      <Fact name="Added at" is={<Time at={at} />} />
      <Fact name="Recalled at" is={recalledAt !== undefined && <Time at={recalledAt} />} class="is-low" />
      <Fact name="Items">
        {`${counted(added)} added: ${counted(available)} unsold, ${counted(sold)} sold, ${counted(withdrawn)} withdrawn`}
        {quarantined > 0 && `, ${counted(quarantined)} in quarantine`}
      </Fact>
      <Fact name="Source" is={source} />
      {costUsdt !== undefined && (
        <Fact name="Cost of one">
          <Money amount={costUsdt} /> USDT
        </Fact>
      )}
      <Fact name="Reference" is={reference} />
    </Facts>
  );
}

function SoldOrders({ lotId }: { readonly lotId: number }) {
  return (
    <div class="inset">
      <EndlessList
        label={`Orders with items of lot ${lotId}`}
        columns={SOLD_COLUMNS}
        load={pagesOf('GET /lots/{id}/sold', 'sold', { path: { id: lotId } })}
        listKey={String(lotId)}
        keyOf={({ orderId }) => orderId}
        hrefOf={({ orderId }) => addressOf('orders', orderId)}
        grows="below"
        empty="Nobody has bought of it."
      />
    </div>
  );
}

/** The action Recall. The button stays when the lot is recalled, for its dialog says what came of it. */
function Recall({ lot: { lotId, available, sold, recalledAt } }: { readonly lot: Lot }) {
  return (
    <ReasonAction
      name="Recall"
      needs="POST /lots/{id}/recall"
      look="small"
      isGrave
      isDisabled={recalledAt !== undefined}
      about={
        <ul class="effects">
          <li>{`${counted(available)} unsold ${available === 1 ? 'item leaves' : 'items leave'} the stock for good.`}</li>
          <li>The same texts in other lots leave it, too, and can never be imported again.</li>
          <li>
            {sold === 0
              ? 'Nothing of it was sold.'
              : `${counted(sold)} ${sold === 1 ? 'is' : 'are'} sold: orders stay as they are, and are listed afterwards, for you to replace or refund.`}
          </li>
        </ul>
      }
      command={(given) => purser('lot recall', [lotId], { yes: true, ...given })}
      run={(body) => call('POST /lots/{id}/recall', { path: { id: lotId }, body })}
      onDone={({ withdrawn }) =>
        announce(`Lot ${lotId} is recalled: ${counted(withdrawn)} items have left the stock.`)
      }
      result={(recall) => <Recalled recall={recall} />}
    />
  );
}

function Recalled({ recall }: { readonly recall: AnswerOf<'POST /lots/{id}/recall'> }) {
  const { lotId, withdrawn, copiesWithdrawn = 0, sold, nextCursor } = recall;
  return (
    <>
      <p>
        {`Lot ${lotId} is recalled. ${counted(withdrawn)} of its items have left the stock`}
        {copiesWithdrawn > 0 && `, and ${counted(copiesWithdrawn)} of other lots with the same texts`}.
      </p>
      <p>
        {sold.length === 0
          ? 'No order has items of it.'
          : `${counted(sold.length)}${nextCursor === undefined ? '' : ' and more'} orders have items of it: the lot lists them.`}
      </p>
    </>
  );
}
