/**
 * A field for the id of one of many: its id is typed, or a part of its name, and one of those that have it is taken. Only an
 * id can be sent. Rejected: a list that the browser shows, which differs from one browser to the next, and has no room for
 * two that are called alike.
 */
import type { ComponentChildren } from 'preact';
import { useLiveAnswer } from '../../shell/live-answer.ts';
import { idOf } from '../../shell/router.ts';
import { ErrorNotice } from '../error-notice.tsx';

/** One that was found. */
export interface Found {
  readonly id: number;
  readonly name: string;
  /** What tells it from others of the name. */
  readonly beside?: ComponentChildren;
}

/** Finds the first few that have the text in their names, or as their id. */
export type Find = (text: string, signal: AbortSignal) => Promise<readonly Found[]>;

/** A search of the API takes no more. */
const MOST_CHARACTERS = 200;

/** The attributes of the input. */
export const FIND_ATTRIBUTES = {
  type: 'text',
  autocomplete: 'off',
  spellcheck: false,
  maxLength: MOST_CHARACTERS,
  pattern: '\\s*[1-9][0-9]{0,14}\\s*',
  title: 'Take one of those that are found, or type an id',
} as const;

interface AllFoundProps {
  readonly label: string;
  readonly find: Find;
  readonly text: string;
  readonly onTake: (id: number) => void;
}

/** The list of what is found by the text of the input. */
export function FoundByText({ text, ...props }: AllFoundProps) {
  const typed = text.trim();
  return typed === '' ? null : <AllFound {...props} text={typed} />;
}

function AllFound({ label, find, text, onTake }: AllFoundProps) {
  const { answer, failure } = useLiveAnswer(`find ${label} ${text}`, (signal) => find(text, signal));
  if (failure !== undefined) return <ErrorNotice failure={failure} />;
  const isTaken = answer?.some(({ id }) => id === idOf(text)) === true;
  if (answer?.length === 0)
    return (
      <p class="hint" role="status">
        None is found.
      </p>
    );
  if (answer === undefined || isTaken) return null;
  return (
    <ul class="found" aria-label={`Found for ${label}`}>
      {answer.map(({ id, name, beside }) => (
        <li key={id}>
          <button type="button" class="small" onClick={() => onTake(id)}>
            <span class="quiet">{id}</span> {name} {beside}
          </button>
        </li>
      ))}
    </ul>
  );
}
