/**
 * A field for the id of one of many: its id is typed, or a part of its name, and one of those that have it is taken. Only an
 * id can be sent. Rejected: a list that the browser shows, which differs from one browser to the next, and has no room for
 * two that are called alike.
 */
import type { ComponentChildren, JSX } from 'preact';
import { idOf } from '../../shell/router.ts';
import { useLiveAnswer } from '../../shell/live-answer.ts';
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

interface FindControlProps {
  readonly label: string;
  readonly find: Find;
  readonly value: string;
  readonly onText: (text: string) => void;
  readonly input: JSX.IntrinsicElements['input'];
}

export function FindControl({ label, find, value, onText, input }: FindControlProps) {
  const text = value.trim();
  return (
    <>
      <input
        {...input}
        type="text"
        autocomplete="off"
        spellcheck={false}
        maxLength={MOST_CHARACTERS}
        pattern="\s*[1-9][0-9]{0,14}\s*"
        title="Take one of those that are found, or type an id"
        value={value}
      />
      {text !== '' && (
        <AllFound
          label={label}
          find={find}
          text={text}
          onTake={(id) => {
            onText(String(id));
            // Its button goes.
            document.getElementById(String(input.id))?.focus();
          }}
        />
      )}
    </>
  );
}

interface AllFoundProps extends Pick<FindControlProps, 'label' | 'find'> {
  readonly text: string;
  readonly onTake: (id: number) => void;
}

function AllFound({ label, find, text, onTake }: AllFoundProps) {
  const { answer, failure } = useLiveAnswer(`find ${label} ${text}`, (signal) => find(text, signal));
  if (failure !== undefined) return <ErrorNotice failure={failure} />;
  const others = answer?.filter(({ id }) => id !== idOf(text)) ?? [];
  if (answer?.length === 0)
    return (
      <p class="hint" role="status">
        None is found.
      </p>
    );
  if (others.length === 0) return null;
  return (
    <ul class="found" aria-label={`Found for ${label}`}>
      {others.map(({ id, name, beside }) => (
        <li key={id}>
          <button type="button" class="small" onClick={() => onTake(id)}>
            <span class="quiet">{id}</span> {name} {beside}
          </button>
        </li>
      ))}
    </ul>
  );
}
