/**
 * PostgreSQL's tables, and the purchase as one function.
 *
 * Invariant: the unique key of `orders` makes a purchase of an Idempotency-Key once. A copy that comes while the first
 * is under way waits for its end, and then either finds it or takes its place. An item that is sold moves from `items`
 * into its order; the row that is gone can't be sold again. Refusals that SPEC.md stores with the key are orders with a
 * `refusal`.
 *
 * Rejected: foreign keys of `orders` (every purchase of a hot product would lock the product's row, together with all
 * others); a mark on sold items instead of a delete (a partial index more, and the planner may read the primary key
 * from its begin, past all that is sold).
 */
export const postgresSchema = `
  create table if not exists accounts (
    account_id bigint generated always as identity primary key,
    name text not null
  );
  create table if not exists api_keys (
    account_id bigint primary key references accounts,
    key_hash text not null unique
  );
  create table if not exists wallets (
    account_id bigint primary key references accounts,
    balance_micros bigint not null check (balance_micros >= 0)
  ) with (fillfactor = 50);
  create table if not exists credits (
    account_id bigint not null references wallets,
    reference text not null,
    amount_micros bigint not null check (amount_micros > 0),
    primary key (account_id, reference)
  );
  create table if not exists products (
    product_id bigint generated always as identity primary key,
    name text not null,
    description text not null,
    instructions text not null,
    type text not null,
    price_micros bigint not null check (price_micros >= 0)
  );
  create table if not exists items (
    product_id bigint not null references products,
    item_id bigint generated always as identity,
    item text not null,
    primary key (product_id, item_id)
  -- Emptied and filled again: cutting the file's end would lock out all buyers, and the planner would take it for small.
  ) with (vacuum_truncate = off);
  -- A row is written twice, and its second version finds room beside the first.
  create table if not exists orders (
    order_id bigint generated always as identity primary key,
    account_id bigint not null,
    idempotency_key text not null,
    request_hash text not null,
    product_id bigint not null,
    price_micros bigint,
    created_at_ms bigint not null,
    refusal text,
    item text,
    balance_after_micros bigint,
    unique (account_id, idempotency_key)
  ) with (fillfactor = 60);

  create or replace function purchase(
    key_hash text, idempotency_key text, request_hash text, product_id bigint, expected_micros bigint, now_ms bigint,
    broken boolean
  ) returns table (
    order_id bigint, price_micros bigint, created_at_ms bigint, item text, balance_after_micros bigint,
    instructions text
  ) language plpgsql as $$
  #variable_conflict use_column
  declare
    buyer bigint;
    taken bigint;
  begin
    created_at_ms := now_ms;
    insert into orders (account_id, idempotency_key, request_hash, product_id, price_micros, created_at_ms)
      select k.account_id, $2, $3, $4, p.price_micros, $6
      from api_keys k left join products p on p.product_id = $4
      where k.key_hash = $1
      on conflict (account_id, idempotency_key) do nothing
      returning orders.order_id, orders.account_id, orders.price_micros
      into purchase.order_id, buyer, purchase.price_micros;
    -- Nobody has the API key, or an order has the Idempotency-Key: the caller looks.
    if not found then return; end if;
    if purchase.price_micros is null then raise 'PRODUCT_NOT_FOUND' using errcode = 'PS001'; end if;
    if purchase.price_micros <> $5 then raise 'PRICE_CHANGED' using errcode = 'PS001'; end if;
    if $7 then
      -- Broken on purpose: others read the same item meanwhile, and nobody looks whether it was still there to delete.
      select i.item_id, i.item into taken, purchase.item from items i
        where i.product_id = $4 order by i.item_id limit 1;
      delete from items i where i.product_id = $4 and i.item_id = taken;
    else
      delete from items i where i.product_id = $4 and i.item_id = (
        select n.item_id from items n where n.product_id = $4 order by n.item_id limit 1 for update skip locked
      ) returning i.item into purchase.item;
    end if;
    if purchase.item is null then raise 'OUT_OF_STOCK' using errcode = 'PS001'; end if;
    -- A hot wallet's row is locked last, and so for the shortest time.
    update wallets w set balance_micros = w.balance_micros - purchase.price_micros
      where w.account_id = buyer and w.balance_micros >= purchase.price_micros
      returning w.balance_micros into purchase.balance_after_micros;
    if not found then raise 'INSUFFICIENT_BALANCE' using errcode = 'PS001'; end if;
    update orders o set item = purchase.item, balance_after_micros = purchase.balance_after_micros
      where o.order_id = purchase.order_id
      returning (select p.instructions from products p where p.product_id = o.product_id)
      into purchase.instructions;
    return next;
  end $$;
`;

/**
 * The code of the error by which the function refuses; its message is the refusal. The error undoes what the purchase
 * had begun.
 */
export const refusalState = 'PS001';
