/**
 * A screen's answer of the node, kept as it is now: asked for at first, when its key changes, and whenever the pulse
 * says that something moved. The last answer stays on view while it is asked for again, and when the node is away.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { isAborted, NodeAway } from '../api/api-failure.ts';
import { beginBusy } from './busy.ts';
import { askNow, beat, moved } from './pulse.ts';
import { useRetry } from './retry.ts';

export interface LiveAnswer<T> {
  /** The last that came for this key. */
  readonly answer: T | undefined;
  /** The failure of the last try, if it failed; not when the node is away, which the shell tells. */
  readonly failure: unknown;
  reload(): void;
}

/** `moved`: when the journal has. `beat`: every two seconds. */
type When = 'moved' | 'beat';

interface Held<T> {
  readonly key: string;
  readonly answer?: T;
  readonly failure?: unknown;
}

interface Asked {
  readonly key: string;
  readonly controller: AbortController;
  isUnderWay: boolean;
  isWanted: boolean;
}

/** `key` names what is asked for: `load` is called again when it changes. */
export function useLiveAnswer<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  when: When = 'moved',
): LiveAnswer<T> {
  const [held, setHeld] = useState<Held<T>>({ key });
  const [round, setRound] = useState(0);
  const tick = (when === 'beat' ? beat : moved).value;
  const latest = useRef(load);
  latest.current = load;
  const asked = useRef<Asked>(undefined);
  const isFirst = useRef(true);

  useEffect(() => {
    const mine: Asked = { key, controller: new AbortController(), isUnderWay: false, isWanted: false };
    const endBusy = beginBusy();
    asked.current = mine;
    void ask(mine).finally(endBusy);
    return () => {
      mine.controller.abort();
      endBusy();
    };
  }, [key]);

  useEffect(() => {
    if (!isFirst.current && asked.current !== undefined) void ask(asked.current);
    isFirst.current = false;
  }, [tick, round]);

  const isOfKey = held.key === key;
  useRetry(isOfKey ? held.failure : undefined, () => {
    if (asked.current !== undefined) void ask(asked.current);
  });

  /** One at a time: a slow node is not asked faster than it answers. */
  async function ask(mine: Asked): Promise<void> {
    mine.isWanted = true;
    if (mine.isUnderWay) return;
    mine.isUnderWay = true;
    const { signal } = mine.controller;
    try {
      while (mine.isWanted && !signal.aborted) {
        mine.isWanted = false;
        const answer = await latest.current(signal);
        if (!signal.aborted) setHeld({ key: mine.key, answer });
      }
    } catch (error) {
      if (signal.aborted || isAborted(error)) return;
      if (error instanceof NodeAway) void askNow();
      else
        setHeld((before) => ({ ...(before.key === mine.key ? before : { key: mine.key }), failure: error }));
    } finally {
      mine.isUnderWay = false;
    }
  }

  return {
    answer: isOfKey ? held.answer : undefined,
    failure: isOfKey ? held.failure : undefined,
    reload: () => setRound((before) => before + 1),
  };
}
