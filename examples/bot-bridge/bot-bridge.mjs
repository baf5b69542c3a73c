/**
 * Between a Purser node and a chat bot: sends each buyer the courtesy copy of what was delivered, and does what buyers
 * ask the bot for. To run it, and to make it yours: docs/bot.md. In place of `send` goes what talks to the chat.
 *
 * Invariant: a copy is remembered after it was sent, so it may be sent twice when the bridge is killed in between, and
 * is never left out. Copies are remembered by their orders: lines that are read again send nothing again. Purchases
 * never wait for any of this.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const SILENCE_MS = 45_000;
const REMEMBERED_ORDERS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** One call of the operator API; throws with its `error` code as `code` when it is refused. */
export class Operator {
  constructor(url, token) {
    Object.assign(this, { url, token });
  }

  async call(method, path, body) {
    const response = await this.fetch(method, path, body, AbortSignal.timeout(30_000));
    return response.json();
  }

  async fetch(method, path, body, signal) {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    const json = body === undefined ? undefined : JSON.stringify(body);
    const response = await fetch(this.url + path, { method, headers, body: json, signal });
    if (response.ok) return response;
    const { error, message, ...more } = await response.json();
    throw Object.assign(new Error(`${error}: ${message}`), { ...more, code: error });
  }

  /** The key is shown once: hand it on, and keep no copy. The account's key before is dead. */
  issueKey = (accountId) => this.call('POST', `/accounts/${accountId}/key`, {});
  /** Harmless to repeat: the same `reference` counts once. */
  credit = (accountId, amountUsdt, reference) =>
    this.call('POST', `/accounts/${accountId}/credits`, { amountUsdt, reference });
  /** To be paid later, or never. Opening twice makes two: store the `orderId` before you pay. */
  openOrder = (accountId, productId, quantity) =>
    this.call('POST', '/orders', { accountId, productId, quantity });
  /** From the wallet, at the price the buyer saw. Harmless to repeat: a paid order is refused. */
  pay = (orderId, expectedPriceUsdt) => this.call('POST', `/orders/${orderId}/pay`, { expectedPriceUsdt });
}

/** The progress: the last line's `seq` and `epoch`, and the orders whose copies went out lately. */
class Progress {
  constructor(file) {
    Object.assign(this, { file, epoch: 1 });
    try {
      Object.assign(this, JSON.parse(readFileSync(file, 'utf8')));
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
      Object.assign(this, { after: 0, orders: [] });
    }
  }

  /** On disk when it returns, whole or as it was before. */
  store(after, epoch, orderId) {
    Object.assign(this, { after, epoch });
    if (orderId !== undefined) this.orders = [...this.orders, orderId].slice(-REMEMBERED_ORDERS);
    const unfinished = openSync(`${this.file}.unfinished`, 'w', 0o600);
    writeFileSync(unfinished, JSON.stringify({ after, epoch, orders: this.orders }));
    fsyncSync(unfinished);
    closeSync(unfinished);
    renameSync(`${this.file}.unfinished`, this.file);
  }
}

/** Completed orders also come with refunds of a part and with new items, and long after their copy. */
const DELIVERIES = ['OrderPlaced', 'OrderPaid', 'OrderDelivered'];

/** Follows the feed until `signal` aborts. `send` gets each copy, and should reject only when it may be tried again. */
export async function runBridge({ operator, file, send, signal }) {
  const progress = new Progress(file);
  for (let waitMs = 500; !signal.aborted; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      for await (const line of follow(operator, progress, signal)) {
        const { seq, epoch, type, order } = line;
        const isDelivery = DELIVERIES.includes(type) && order.status === 'completed';
        const isNew = isDelivery && !progress.orders.includes(order.orderId);
        if (isNew) await send(await copyOf(operator, order));
        if (isNew || seq % 100 === 0) progress.store(seq, epoch, isNew ? order.orderId : undefined);
        waitMs = 250;
      }
    } catch (error) {
      if (signal.aborted) return;
      // The node was restored from a backup. A copy that went out stays so: orders are remembered by their numbers.
      if (error.code === 'OTHER_EPOCH') progress.store(error.forkAfter, error.epoch);
      // Nothing gets better by waiting: the operator must say where to go on.
      if (['BAD_REQUEST', 'UNAUTHORIZED'].includes(error.code)) throw error;
      console.error(`again in ${waitMs} ms: ${error.message}`);
    }
    await delay(waitMs, undefined, { signal }).catch(() => {});
  }
}

async function* follow(operator, { after, epoch }, signal) {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error('the feed is silent')), SILENCE_MS);
  try {
    const both = AbortSignal.any([signal, silence.signal]);
    const response = await operator.fetch('GET', `/feed?after=${after}&epoch=${epoch}`, undefined, both);
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of response.body) {
      timer.refresh();
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop();
      for (const line of lines) if (line !== '') yield JSON.parse(line);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Order summary, a backup text file, the items. The order may have been refunded since: then there are none. */
async function copyOf(operator, { orderId, accountId }) {
  const order = await operator.call('GET', `/orders/${orderId}`);
  const product = await operator.call('GET', `/products/${order.productId}`);
  const { items = [], downloadUrl = '' } = order.delivery ?? {};
  const summary = `Order ${orderId}: ${order.quantity} × ${product.name}, ${order.totalPriceUsdt} USDT (${order.status})`;
  const text = [summary, product.instructions, ...items, downloadUrl]
    .filter((line) => line !== '')
    .join('\n');
  return { accountId, orderId, summary, items, file: { name: `order-${orderId}.txt`, text: `${text}\n` } };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { PURSER_OPERATOR_URL: url, PURSER_OPERATOR_TOKEN: token } = process.env;
  const [file] = process.argv.slice(2);
  if (!url || !token || file === undefined) {
    console.error('usage: PURSER_OPERATOR_URL=… PURSER_OPERATOR_TOKEN=… node bot-bridge.mjs progress.json');
    process.exit(2);
  }
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stop.abort());
  const send = async (copy) => console.log(JSON.stringify(copy));
  await runBridge({ operator: new Operator(url, token), file, send, signal: stop.signal });
}
