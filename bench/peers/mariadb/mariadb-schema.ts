/**
 * MariaDB's tables and the purchase as one procedure, as statements to be sent one by one.
 *
 * Invariant: that of `postgres-schema.ts`, which has the same tables. One thing is different: when three copies of a
 * request come at once, two wait for the first. If the first is refused, InnoDB may end one of the two with a deadlock
 * error. The caller then tries again.
 */
/** Compared byte by byte. */
const exact = 'character set ascii collate ascii_bin';

export const mariadbSchema: readonly string[] = [
  `create table if not exists accounts (
    account_id bigint auto_increment primary key,
    name text not null
  )`,
  `create table if not exists api_keys (
    account_id bigint primary key references accounts (account_id),
    key_hash char(43) ${exact} not null unique
  )`,
  `create table if not exists wallets (
    account_id bigint primary key references accounts (account_id),
    balance_micros bigint not null check (balance_micros >= 0)
  )`,
  `create table if not exists credits (
    account_id bigint not null references wallets (account_id),
    reference varchar(200) collate utf8mb4_bin not null,
    amount_micros bigint not null check (amount_micros > 0),
    primary key (account_id, reference)
  )`,
  `create table if not exists products (
    product_id bigint auto_increment primary key,
    name text not null,
    description text not null,
    instructions text not null,
    type varchar(20) not null,
    price_micros bigint not null check (price_micros >= 0)
  )`,
  // Not auto_increment: that would need an index of its own.
  'create sequence if not exists item_ids cache 10000',
  `create table if not exists items (
    product_id bigint not null references products (product_id),
    item_id bigint not null default (next value for item_ids),
    item text not null,
    primary key (product_id, item_id)
  )`,
  `create table if not exists orders (
    order_id bigint auto_increment primary key,
    account_id bigint not null,
    idempotency_key varchar(128) ${exact} not null,
    request_hash char(43) ${exact} not null,
    product_id bigint not null,
    price_micros bigint,
    created_at_ms bigint not null,
    refusal varchar(30) ${exact},
    item text,
    balance_after_micros bigint,
    unique (account_id, idempotency_key)
  )`,
  `create or replace procedure purchase(
    given_key_hash char(43) ${exact}, given_key varchar(128) ${exact}, given_hash char(43) ${exact},
    given_product bigint, expected_micros bigint, now_ms bigint, broken boolean
  )
  begin
    declare buyer, made_order, taken, current_micros, after_micros bigint;
    declare taken_item, its_instructions text;
    declare refused varchar(30);
    -- An order has the Idempotency-Key: the caller looks.
    declare exit handler for 1062 begin rollback; select 'TAKEN' as refusal; end;
    declare exit handler for sqlexception begin rollback; resignal; end;
    start transaction;
    attempt: begin
      select k.account_id, p.price_micros, p.instructions into buyer, current_micros, its_instructions
        from api_keys k left join products p on p.product_id = given_product where k.key_hash = given_key_hash;
      if buyer is null then set refused = 'INVALID_API_KEY'; leave attempt; end if;
      insert into orders (account_id, idempotency_key, request_hash, product_id, price_micros, created_at_ms)
        values (buyer, given_key, given_hash, given_product, current_micros, now_ms);
      set made_order = last_insert_id();
      if current_micros is null then set refused = 'PRODUCT_NOT_FOUND'; leave attempt; end if;
      if current_micros <> expected_micros then set refused = 'PRICE_CHANGED'; leave attempt; end if;
      if broken then
        -- On purpose: others read the same item meanwhile, and nobody looks whether it was still there to delete.
        select item_id, item into taken, taken_item from items
          where product_id = given_product order by item_id limit 1;
      else
        select item_id, item into taken, taken_item from items
          where product_id = given_product order by item_id limit 1 for update skip locked;
      end if;
      if taken is null then set refused = 'OUT_OF_STOCK'; leave attempt; end if;
      delete from items where product_id = given_product and item_id = taken;
      -- A hot wallet's row is locked last, and so for the shortest time.
      update wallets set balance_micros = balance_micros - current_micros
        where account_id = buyer and balance_micros >= current_micros;
      if row_count() = 0 then set refused = 'INSUFFICIENT_BALANCE'; leave attempt; end if;
      select balance_micros into after_micros from wallets where account_id = buyer;
      update orders set item = taken_item, balance_after_micros = after_micros where order_id = made_order;
    end attempt;
    if refused is not null then
      rollback;
      select refused as refusal;
    else
      commit;
      select null as refusal, made_order as order_id, given_product as product_id, current_micros as price_micros,
        now_ms as created_at_ms, taken_item as item, after_micros as balance_after_micros,
        its_instructions as instructions;
    end if;
  end`,
];
