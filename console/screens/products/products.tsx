/** Products: what is for sale, what is left of it and how long that lasts; find one, or begin one. */
import type { Schema } from '../../api/call-types.ts';
import { download } from '../../api/download.ts';
import { call } from '../../api/operator-api.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { amount, prose, reason, select, text } from '../../parts/forms/field.tsx';
import { SearchField } from '../../parts/forms/search-field.tsx';
import { type Column, EndlessList } from '../../parts/list/endless-list.tsx';
import { titled } from '../../parts/list/list-row.tsx';
import { pagesOf } from '../../parts/list/pages-of.ts';
import { Money } from '../../parts/money.tsx';
import { addressOf, goTo, queryField } from '../../shell/router.ts';
import { Screen } from '../../shell/screen.tsx';
import { ImportTable } from '../imports/table-import.tsx';
import { Cover, SaleState, Sold, Stock } from './product-figures.tsx';
import { PRODUCT_TYPES } from './product-words.ts';

type Product = Schema<'Product'>;

const EXPORT_FILE = 'products.csv';

const COLUMNS: readonly Column<Product>[] = [
  { name: 'Id', narrow: [1, 'first'], width: '3rem', cell: ({ productId }) => productId },
  { name: 'Name', narrow: [1, 'middle'], width: 'minmax(0, 2fr)', cell: ({ name }) => titled(name) },
  { name: 'SKU', narrow: [2, 'most'], width: 'minmax(0, 1fr)', cell: ({ sku }) => titled(sku) },
  { name: 'Category', narrow: [5, 'all'], width: 'minmax(0, 1fr)', cell: ({ category }) => titled(category) },
  { name: 'Type', narrow: [4, 'last'], width: '5rem', cell: ({ type }) => type },
  {
    name: 'In stock',
    narrow: [2, 'last'],
    width: '5rem',
    align: 'end',
    cell: (product) => <Stock product={product} />,
  },
  {
    name: 'Sold in a day',
    narrow: [3, 'most'],
    width: '7rem',
    align: 'end',
    cell: (product) => <Sold product={product} />,
  },
  {
    name: 'Lasts',
    narrow: [3, 'last'],
    width: '6rem',
    align: 'end',
    cell: (product) => <Cover product={product} />,
  },
  {
    name: 'Price',
    narrow: [1, 'last'],
    width: 'minmax(4.5rem, 6rem)',
    align: 'end',
    cell: ({ priceUsdt }) => <Money amount={priceUsdt} />,
  },
  {
    name: 'On sale',
    narrow: [4, 'most'],
    width: '6.5rem',
    cell: (product) => <SaleState product={product} />,
  },
];

export function ProductsScreen() {
  const search = queryField('search');
  return (
    <Screen
      title="Products"
      isList
      actions={
        <>
          <ExportProducts />
          <ImportProducts />
          <NewProduct />
        </>
      }
    >
      <div class="filters">
        <SearchField label="Search products" />
      </div>
      <EndlessList
        label="Products"
        columns={COLUMNS}
        load={pagesOf('GET /products', 'products', { query: { search } })}
        listKey={search}
        keyOf={({ productId }) => productId}
        hrefOf={({ productId }) => addressOf('products', productId)}
        grows="below"
        empty={search === '' ? 'There are no products yet.' : 'No product has this in its name or as its id.'}
      />
    </Screen>
  );
}

function NewProduct() {
  return (
    <Action
      name="New product"
      needs="POST /products"
      look="primary"
      fields={{
        name: text({ label: 'Name' }),
        sku: text({ label: 'SKU', isOptional: true, maxLength: 64, hint: 'Yours: no other product has it.' }),
        description: prose({ label: 'Description', rows: 3, maxLength: 10_000, isOptional: true }),
        type: select({ label: 'Type', options: PRODUCT_TYPES }),
        priceUsdt: amount({ label: 'Price in USDT', hint: 'Of one, with up to 2 decimals.' }),
        reason: reason(),
      }}
      command={({ name, sku, description, type, priceUsdt, reason: why }) =>
        purser('product create', [], {
          name,
          sku,
          description: description || undefined,
          type,
          price: priceUsdt,
          reason: why,
        })
      }
      run={(body, { idempotencyKey }) => call('POST /products', { body, idempotencyKey })}
      onDone={({ productId, name }) => {
        announce(`Product ${productId} is there: ${name}`);
        goTo(addressOf('products', productId));
      }}
    />
  );
}

function ExportProducts() {
  return (
    <Action
      name="Export products"
      needs="GET /products"
      about="The whole catalog as a table (CSV), with the columns that Import products takes."
      fields={{}}
      command={() => `${purser('product export')} > ${EXPORT_FILE}`}
      run={() => download('GET /products', { headers: { accept: 'text/csv' } }, EXPORT_FILE)}
      onDone={() => announce('The catalog is among your downloads.')}
    />
  );
}

function ImportProducts() {
  return (
    <ImportTable
      name="Import products"
      call="POST /products/import"
      about={
        <>
          A table with the columns <code>sku</code>, <code>name</code>, <code>priceUsdt</code>, and any others
          that Export products has. Products are found by their sku, or made; an empty cell leaves a field as
          it is.
        </>
      }
      command={(fileName, flags) => purser('product import', [fileName], flags)}
    />
  );
}
