/**
 * Answers what operators ask, in the outbox's thread: nobody else has its file open, so that it may be closed at any
 * time (see `MapLimit`).
 *
 * A replay of many is made in steps, each bounded in what it reads and in what it has written in one turn; who asks
 * comes back with where it stands. What was replayed is pending then, so a step that is repeated replays nothing
 * twice.
 */
import type { DeliveryHistory } from '../../../persistence/webhooks/delivery-history.ts';
import type { Outbox } from './outbox.ts';
import type { OperatorAnswers, OperatorQuestion } from './outbox-messages.ts';

export const MAX_REPLAYED_AT_ONCE = 500;

export class OperatorRequests {
  readonly #history: DeliveryHistory;
  readonly #outbox: Outbox;

  constructor(history: DeliveryHistory, outbox: Outbox) {
    this.#history = history;
    this.#outbox = outbox;
  }

  /** Replays are on disk after the outbox's next turn. Throws `DamagedDataError`. */
  answer(question: OperatorQuestion): OperatorAnswers[keyof OperatorAnswers] {
    switch (question.kind) {
      case 'page':
        return this.#history.page(question.accountId, question.limit, question.before);
      case 'find':
        return this.#history.event(question.accountId, question.number);
      case 'replay':
        return this.#outbox.replay(question.accountId, question.number);
      case 'replaySince':
        return this.#replaySince(question);
    }
  }

  #replaySince({
    accountId,
    sinceMs,
    from,
    statuses,
  }: Extract<OperatorQuestion, { kind: 'replaySince' }>): OperatorAnswers['replaySince'] {
    const first = Math.max(from, this.#history.firstSince(accountId, sinceMs));
    const events = [...this.#history.events(accountId, first, MAX_REPLAYED_AT_ONCE)];
    const last = events.at(-1);
    const next = last !== undefined && events.length === MAX_REPLAYED_AT_ONCE ? last.number + 1 : undefined;
    const taken = events.filter(
      ({ number, status }) => statuses.includes(status) && this.#outbox.replay(accountId, number),
    );
    return { count: taken.length, next };
  }
}
