/** One price list: its percent, its prices, and the accounts that have it. */
import { call } from '../../api/operator-api.ts';
import { purser } from '../../parts/command-line.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { counted } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { Screen } from '../../shell/screen.tsx';
import { AccountList } from '../accounts/account-list.tsx';
import { ImportTable } from '../imports/table-import.tsx';
import { ChangePriceList, DeletePriceList } from './price-list-actions.tsx';
import { percentWords } from './price-words.tsx';
import { PricesPanel } from './prices-panel.tsx';

export function PriceListScreen({ id }: { readonly id: number }) {
  // Its prices have a list of their own.
  const { answer: list, failure } = useLiveAnswer(`price list ${id}`, (signal) =>
    call('GET /price-lists/{id}', { path: { id }, query: { limit: 1 }, signal }),
  );
  return (
    <Screen
      title={`Price list ${id}`}
      lead={list?.name}
      actions={
        list && (
          <>
            <DeletePriceList key={`delete ${id}`} list={list} />
            <ImportTable
              key={`import ${id}`}
              name="Import prices"
              call="POST /price-lists/{id}/import"
              id={id}
              about={
                <>
                  A table with the columns <code>sku</code> or <code>productId</code>, <code>priceUsdt</code>,
                  and <code>priceTiers</code> if wanted (<code>10:9.00 100:8.50</code>). An empty price leaves
                  the one that is there.
                </>
              }
              command={(fileName, flags) => purser('price import', [id, fileName], flags)}
            />
          </>
        )
      }
    >
      {failure !== undefined && <ErrorNotice failure={failure} />}
      {list === undefined && failure === undefined && <p class="loading">Loading…</p>}
      {list !== undefined && (
        <>
          <Panel title="Name and percent" actions={<ChangePriceList list={list} />}>
            <Facts>
              <Fact name="Name" is={list.name} />
              <Fact name="Products below" is="cost what stands there" />
              <Fact
                name="All others"
                is={
                  list.percent === null
                    ? 'cost what they cost everybody'
                    : `cost what they cost everybody, ${percentWords(list.percent)}`
                }
              />
            </Facts>
          </Panel>
          <PricesPanel key={id} owner="price-list" id={id} />
          <Panel title="Accounts" beside={<span class="hint">{counted(list.accounts)}</span>}>
            <div class="inset">
              <AccountList
                label="Accounts with this list"
                query={{ priceListId: id }}
                empty="No account has it. An account’s own page gives it one."
              />
            </div>
          </Panel>
        </>
      )}
    </Screen>
  );
}
