/** Findings: the state of one thing, and advice on it. */

export type State = 'ok' | 'warning' | 'failed';

export interface Finding {
  readonly state: State;
  /** The finding in words; unless all is well, also the next step. One line without a full stop. */
  readonly advice: string;
}

const BY_GRAVITY: readonly State[] = ['failed', 'warning', 'ok'];

export function ok(advice: string): Finding {
  return { state: 'ok', advice };
}

/** The node works, but not as well or as safely as it could; or nobody can tell. */
export function warning(advice: string): Finding {
  return { state: 'warning', advice };
}

/** The node does not start, loses something, or gives something away. */
export function failed(advice: string): Finding {
  return { state: 'failed', advice };
}

/**
 * Several findings as one: as grave as the gravest, with the advice of all that are not well, the gravest first. An
 * empty advice is not told.
 */
export function together(findings: readonly Finding[]): Finding {
  const state = BY_GRAVITY.find((each) => findings.some((finding) => finding.state === each)) ?? 'ok';
  const told = BY_GRAVITY.filter((each) => state === 'ok' || each !== 'ok').flatMap((each) =>
    findings.filter(({ state: own, advice }) => own === each && advice !== '').map(({ advice }) => advice),
  );
  return { state, advice: told.join('; ') };
}
