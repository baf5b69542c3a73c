/**
 * The double-entry ledger's four totals, in micro-USDT.
 *
 * Every movement takes from one and gives to another, so their sum is zero after every fact. Deposits is the
 * counter-account of what came in, therefore negative. Wallets and held are the sums over all accounts.
 */
export interface Ledger {
  walletsMicros: number;
  heldMicros: number;
  revenueMicros: number;
  depositsMicros: number;
}

export function emptyLedger(): Ledger {
  return { walletsMicros: 0, heldMicros: 0, revenueMicros: 0, depositsMicros: 0 };
}

export function ledgerSumMicros(ledger: Ledger): number {
  return ledger.walletsMicros + ledger.heldMicros + ledger.revenueMicros + ledger.depositsMicros;
}
