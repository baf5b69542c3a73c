/** The wallets of the naive shop, and what operators have put into them. */
export class NaiveWallets {
  readonly wallets: Record<number, number>;
  readonly #credits = new Map<string, number>();

  constructor(wallets: Record<number, number>) {
    this.wallets = wallets;
  }

  credit(account: number, amount: number): void {
    this.wallets[account] = this.walletOf(account) + amount;
  }

  /** Adds to a wallet for an operator, or takes from it when the amount is negative. */
  adjust(account: number, reference: string, amount: number): string {
    const earlier = this.#credits.get(`${account} ${reference}`);
    if (earlier !== undefined) return earlier === amount ? 'CREDITED' : 'IDEMPOTENCY_CONFLICT';
    if (this.walletOf(account) + amount < 0) return 'INSUFFICIENT_BALANCE';
    this.#credits.set(`${account} ${reference}`, amount);
    this.credit(account, amount);
    return 'CREDITED';
  }

  /** The sum of what operators have put in so far. */
  get deposits(): number {
    return [...this.#credits.values()].reduce((sum, amount) => sum + amount, 0);
  }

  protected walletOf(account: number): number {
    return this.wallets[account] ?? 0;
  }
}
