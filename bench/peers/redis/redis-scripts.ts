/**
 * The scripts that Redis runs by itself, in Lua. A script runs alone: no other client's command comes in between, and
 * the append-only file gets its writes as one MULTI … EXEC, of which a cut-off tail is dropped whole.
 *
 * Lua's numbers are doubles: micro-USDT are exact below 2^53, which is 9 billion USDT. Numbers become text by `%.0f`,
 * because Lua itself writes 10^14 as `1e+14`.
 *
 * Keys of what is stored:
 * - `key:HASH` → account, by the hash of its API key
 * - `account:ID`, a hash: `name`, `balance`, `apiKey` (hash), `credit:REFERENCE`, `key:IDEMPOTENCY-KEY` → hash of the
 *   request, a space, the answer; `order:ID` → idempotency key. Nothing expires: a retry may come at any time
 *   (SPEC.md, section 4). One hash for all that belongs to an account takes less memory than a key for each, and one
 *   HSET writes all that a purchase changes in it
 * - `product:ID`, a hash: `price` and its texts; `stock:ID`, a list of items; `accounts`, `products`, `orders`: last ids
 *
 * Names of keys are made inside the scripts, so this runs on one server and not on Redis Cluster.
 */

/** Arguments: hash of the API key, idempotency key, hash of the request, product, expected price, now. */
export const purchaseScript = `
local account = redis.call('GET', 'key:' .. ARGV[1])
if not account then return '{"refusal":"INVALID_API_KEY"}' end
local wallet = 'account:' .. account
local field = 'key:' .. ARGV[2]
local request = ARGV[3] .. ' '
local known = redis.call('HMGET', wallet, 'balance', field)
local earlier = known[2]
if earlier then
  if string.sub(earlier, 1, #request) == request then return string.sub(earlier, #request + 1) end
  return '{"refusal":"IDEMPOTENCY_KEY_CONFLICT"}'
end
local refuse = function(answer)
  redis.call('HSET', wallet, field, request .. answer)
  return answer
end
local product = redis.call('HMGET', 'product:' .. ARGV[4], 'price', 'instructions')
if not product[1] then return refuse('{"refusal":"PRODUCT_NOT_FOUND"}') end
local price = tonumber(product[1])
if price ~= tonumber(ARGV[5]) then
  return refuse(string.format('{"refusal":"PRICE_CHANGED","currentPriceMicros":%.0f}', price))
end
local stock = 'stock:' .. ARGV[4]
local balance = tonumber(known[1]) - price
if balance < 0 then
  if redis.call('EXISTS', stock) == 0 then return '{"refusal":"OUT_OF_STOCK"}' end
  return refuse('{"refusal":"INSUFFICIENT_BALANCE"}')
end
local item = redis.call('LPOP', stock)
if not item then return '{"refusal":"OUT_OF_STOCK"}' end
local order = redis.call('INCR', 'orders')
local answer = string.format(
  '{"order":{"orderId":%.0f,"productId":%.0f,"priceMicros":%.0f,"createdAtMs":%.0f,"balanceAfterMicros":%.0f,"item":%s,"instructions":%s}}',
  order, tonumber(ARGV[4]), price, tonumber(ARGV[6]), balance, cjson.encode(item), cjson.encode(product[2]))
redis.call('HSET', wallet, 'balance', string.format('%.0f', balance),
  field, request .. answer, string.format('order:%.0f', order), ARGV[2])
return answer
`;

/**
 * Arguments: account, reference, amount. A reference that was credited before changes nothing. Nothing for an unknown
 * account.
 */
export const creditScript = `
local wallet = 'account:' .. ARGV[1]
if redis.call('EXISTS', wallet) == 0 then return false end
if redis.call('HSETNX', wallet, 'credit:' .. ARGV[2], ARGV[3]) == 1 then
  redis.call('HINCRBY', wallet, 'balance', ARGV[3])
end
return 'OK'
`;

/** Arguments: account, hash of its new API key. The one before stops working. Nothing for an unknown account. */
export const issueKeyScript = `
local wallet = 'account:' .. ARGV[1]
if redis.call('EXISTS', wallet) == 0 then return false end
local before = redis.call('HGET', wallet, 'apiKey')
if before then redis.call('DEL', 'key:' .. before) end
redis.call('SET', 'key:' .. ARGV[2], ARGV[1])
redis.call('HSET', wallet, 'apiKey', ARGV[2])
return 'OK'
`;

/** Arguments: hash of the API key, order. The stored entry of the order's idempotency key. */
export const orderScript = `
local account = redis.call('GET', 'key:' .. ARGV[1])
if not account then return false end
local key = redis.call('HGET', 'account:' .. account, 'order:' .. ARGV[2])
if not key then return false end
return redis.call('HGET', 'account:' .. account, 'key:' .. key)
`;
