/**
 * Every named maximum of the engine. Nothing in it grows without one of these.
 *
 * The ledger's maximum bounds the sum of all deposits ever made. Wallets, holds and revenue are parts of
 * that sum, so every total stays below 2^53 and integer arithmetic on it is exact, and below 2^33 USDT, up to which a
 * JSON number says each micro-USDT (`MAX_EXACT_USDT`).
 */

/** 8.5 billion USDT in micro-USDT. */
export const MAX_DEPOSITS_MICROS = 8_500_000_000_000_000;
/** Highest unit price, in micro-USDT (one million USDT). */
export const MAX_PRICE_MICROS = 1_000_000_000_000;
/** Most items from stock in one order. A larger quantity is priced like any other, and refused if in stock. */
export const MAX_ITEMS_PER_ORDER = 10_000;
/**
 * Most refunds and replacements of one order, and most items that they name together: an order is in memory, and in
 * every fact about it, as a whole. A refund of all that is left is always possible.
 */
export const MAX_ADJUSTMENTS = 100;
export const MAX_ADJUSTED_ITEMS = 10_000;
/** Most price tiers of one product. */
export const MAX_PRICE_TIERS = 32;
/** Most attributes of one product, and characters of its sku and its category, which lists and tables show. */
export const MAX_ATTRIBUTES = 32;
export const MAX_SKU_LENGTH = 64;
export const MAX_CATEGORY_LENGTH = 100;
/**
 * Most price lists, most prices of one list, most own prices of one account, and most of all lists, or all accounts,
 * together: all live in memory. One fact changes so many at most.
 */
export const MAX_PRICE_LISTS = 1_000;
export const MAX_PRICES_PER_LIST = 100_000;
export const MAX_OWN_PRICES = 10_000;
export const MAX_PRICES = 1_000_000;
export const MAX_PRICE_CHANGES = 256;
/**
 * Most deposits that are remembered, most of one account that wait, and most transfers that nobody claimed: all live in
 * memory.
 */
export const MAX_DEPOSITS = 100_000;
export const MAX_WAITING_DEPOSITS = 10;
export const MAX_UNCLAIMED_TRANSFERS = 10_000;
/** Characters of an `Idempotency-Key` (SPEC.md §8). */
export const MAX_IDEMPOTENCY_KEY_LENGTH = 128;
/** Characters of an account's `externalId`. */
export const MAX_EXTERNAL_ID_LENGTH = 128;
/** Most networks from which an account's key works. */
export const MAX_ALLOWED_NETWORKS = 64;
/** Characters of a credit's `reference`. */
export const MAX_REFERENCE_LENGTH = 128;
/** Most accounts, and most products: both live in memory. */
export const MAX_ACCOUNTS = 1_000_000;
export const MAX_PRODUCTS = 100_000;
/**
 * Most suppliers, and most purchases at suppliers whose end isn't known: both live in memory. No supplier has more
 * of them open than there is room left for all.
 */
export const MAX_SUPPLIERS = 1_000;
/** Most sources of one product. */
export const MAX_SOURCES = 8;
export const MAX_SUPPLIER_PURCHASES = 100_000;
/**
 * Most purchases that wait for a supplier's answer, all together and of one supplier: each has a socket of its
 * own, and one slow supplier must leave room for others. One more is refused, and nothing held.
 */
export const MAX_HELD_SUPPLIER_PURCHASES = 16_384;
export const MAX_HELD_PER_SUPPLIER = 8_192;
/** Most products whose stock at a supplier is recorded by one fact; a supplier that has more of them gets several. */
export const MAX_STOCK_CHANGES = 256;
/** Lines of the feed that are counted for who is behind: more are so many or more. */
export const MAX_COUNTED_LINES = 1_000;
/** Most operators that were ever created: all live in memory, and a name is never given twice. */
export const MAX_OPERATORS = 1_000;
/** Most tokens of one operator at a time: the newest, and those before it whose overlap goes on. */
export const MAX_OPERATOR_TOKENS = 4;
/** Characters of an operator's name, and of a `reason`. */
export const MAX_OPERATOR_NAME_LENGTH = 64;
export const MAX_REASON_LENGTH = 500;
/** Most items a product can hold over its whole life. */
export const MAX_ITEMS_PER_PRODUCT = 1_000_000_000;
/** Most separate ranges of withdrawn items that one product remembers, and most of recalled ones. */
export const MAX_WITHDRAWN_RANGES = 10_000;
/**
 * Most of such ranges after orders were recovered, which come in any order and leave holes until the last one is there.
 * Items that were quarantined before need none of their own.
 */
export const MAX_RECOVERED_RANGES = 100_000;
/**
 * Most hashes of items that one product's orders had in a gap and that aren't there: each upload is compared with them, and
 * they are in the product's row of the checkpoint.
 */
export const MAX_OUTSTANDING_HASHES = 10_000;
/** Most debits of recovered orders that wait for a credit: they live in memory. */
export const MAX_WAITING_DEBITS = 100_000;
/** The highest epoch: the ids of webhook events have no room for more (`event-row.ts`). */
export const MAX_EPOCH = 500;
/** Most rows of one kind that a restore keeps of what its backup's later facts took away; it counts all of them. */
export const MAX_TAKEN_ROWS = 1_000;
/** Characters of a lot's source, and of its reference. */
export const MAX_LOT_TEXT_LENGTH = 200;
/** Most places of a text that a search tells of. */
export const MAX_FOUND_ITEMS = 250;

/** Commands of one account that wait for their turn; one more is refused. */
export const ACCOUNT_MAILBOX_CAPACITY = 2_048;
/** Commands that have left their account's mailbox and wait for one product. */
export const PRODUCT_MAILBOX_CAPACITY = 512;
/** Commands that wait anywhere in the engine. */
export const MAX_WAITING_COMMANDS = 65_536;
/** Most facts in one group commit: bounds how long a group takes and what a crash can leave unanswered. */
export const MAX_FACTS_PER_GROUP = 512;
/**
 * Outcomes and changes of orders kept in memory until the checkpoint holds them; at this many, commands wait
 * for the checkpoint.
 */
export const MAX_RECENT_OUTCOMES = 500_000;
