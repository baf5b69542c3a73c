/** A moment in a form, typed in the reader's zone; its value is of UTC, as the API and the command line take it. */

import { utcOf, zoneName } from '../time.tsx';
import { type Field, text } from './field.tsx';

/** The value is empty while it is no moment. */
export function momentField(named: { label: string; hint?: string; initial?: string }): Field<string> {
  return {
    ...text({ hint: `In the time of ${zoneName()}.`, ...named }),
    control: { kind: 'input', attributes: { type: 'datetime-local', max: '9999-12-31T23:59' } },
    read: utcOf,
  };
}

/** To the minute, for `initial`. */
export function localMoment(atMs: number): string {
  const offsetMs = new Date(atMs).getTimezoneOffset() * 60_000;
  return new Date(atMs - offsetMs).toISOString().slice(0, 16);
}
