/** Amounts in USDT, as people read them: at least two decimals, at most six, thousands set off. */

const FORMAT = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 6 });
const COUNT = new Intl.NumberFormat('en');

export function usdt(amount: number): string {
  return FORMAT.format(amount).replace('-', '−');
}

export function counted(count: number): string {
  return COUNT.format(count);
}

/** `isSigned`: what comes in has a plus. */
export function Money({
  amount,
  isSigned = false,
}: {
  readonly amount: number;
  readonly isSigned?: boolean;
}) {
  const sign = isSigned && amount > 0 ? '+' : '';
  return <span class={amount < 0 ? 'money is-minus' : 'money'}>{`${sign}${usdt(amount)}`}</span>;
}
