/** Which items of an order, by their numbers in it; the first is 0, as on the command line. */
import { type Field, text } from '../../parts/forms/field.tsx';

/** `0, 2 5`: numbers with commas or spaces between them. */
const PLACES = '\\s*[0-9]+([\\s,]+[0-9]+)*[\\s,]*';

interface Named {
  readonly label: string;
  readonly hint: string;
  readonly ticked: readonly number[];
  readonly isOptional?: boolean;
}

/** Nothing is no place at all. */
export function itemPlaces({ label, hint, ticked, isOptional = false }: Named): Field<readonly number[]> {
  const initial = ticked.join(', ');
  return {
    ...text({ label, hint, initial }),
    isRequired: !isOptional,
    control: {
      kind: 'input',
      attributes: {
        type: 'text',
        inputmode: 'numeric',
        pattern: PLACES,
        title: 'Numbers of items, such as 0, 2',
        autocomplete: 'off',
      },
    },
    read: (typed) => typed.split(/[\s,]+/).flatMap((part) => (part === '' ? [] : [Number(part)])),
  };
}
