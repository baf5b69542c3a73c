/** The refusal of a receipt while the node takes no commands: the receipt may be as good as any. */
import type { Rejection } from '../engine/decide/rejection.ts';

export class NotNowError extends Error {
  override readonly name = 'NotNowError';
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(rejection.message);
    this.rejection = rejection;
  }
}

const OF_MOMENT: ReadonlySet<string> = new Set(['RATE_LIMITED', 'INTERNAL_ERROR']);

/** Whether it is of the moment, and says nothing of what was asked for. */
export function saysNothing({ code }: Rejection): boolean {
  return OF_MOMENT.has(code);
}
