/**
 * The fields of forms: what each is called, how the browser checks it, and what its text means. `ActionDialog` shows
 * them, and reads them into the values that an action is given, each of its own type.
 */
import type { ComponentChildren } from 'preact';
import { idOf } from '../../shell/router.ts';
import type { Find } from './find-control.tsx';
import { filledRows, type Row, textOfRows } from './rows-text.ts';

export interface Field<Value> {
  readonly label: string;
  readonly hint?: string;
  /** Content below the control, to be known before it is answered. */
  readonly below?: ComponentChildren;
  readonly isRequired: boolean;
  /** The longest text, in characters. A longer one stays as it was typed or pasted, and is not sent. */
  readonly maxLength?: number | undefined;
  /** The field's text at first. */
  readonly initial: string;
  readonly control:
    | { readonly kind: 'input'; readonly attributes: Readonly<Record<string, string | number>> }
    | { readonly kind: 'lines'; readonly rows: number }
    | { readonly kind: 'select'; readonly options: readonly (readonly [value: string, text: string])[] }
    | { readonly kind: 'check' }
    | { readonly kind: 'file'; readonly accept: string }
    | { readonly kind: 'find'; readonly find: Find }
    | RowsOfTwo;
  /** The value of a text that the browser finds valid. An empty optional field is undefined. */
  readonly read: (text: string, file: File | undefined) => Value;
}

/** Rows of two texts each, of which `rows-text.ts` makes one. */
export interface RowsOfTwo {
  readonly kind: 'rows';
  /** The name of one row, as in `Add volume price`. */
  readonly noun: string;
  readonly most: number;
  readonly parts: readonly [RowPart, RowPart];
}

interface RowPart {
  readonly label: string;
  /** Of its input. */
  readonly attributes: Readonly<Record<string, string | number>>;
  /** There when one of these is chosen, and nothing typed. */
  readonly options?: readonly (readonly [value: string, text: string])[];
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type ValuesOf<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer Value> ? Value : never;
};

interface Named {
  readonly label: string;
  readonly hint?: string;
  readonly initial?: string | number | undefined;
}
type Optional = Named & { readonly isOptional: true };

const AMOUNT = '-?[0-9]+(\\.[0-9]{1,6})?';
/** Of the part of a row that is an amount above zero. */
export const AMOUNT_PART = {
  type: 'text',
  inputmode: 'decimal',
  pattern: '[0-9]+(\\.[0-9]{1,6})?',
  title: 'A number with up to 6 decimals, such as 3.25',
};

export function text(named: Optional & { readonly maxLength?: number }): Field<string | undefined>;
export function text(named: Named & { readonly maxLength?: number }): Field<string>;
export function text(named: Named & { isOptional?: boolean; maxLength?: number }): Field<string | undefined> {
  const { maxLength = 200 } = named;
  const attributes = { type: 'text', autocomplete: 'off' };
  const absent = named.isOptional === true ? undefined : '';
  return {
    ...common(named),
    maxLength,
    control: { kind: 'input', attributes },
    read: (typed) => typed || absent,
  };
}

/** Why, which is kept with the change for ever. Console and command line ask for it; the API can do without. */
export function reason(): Field<string | undefined> {
  return text({ label: 'Reason', isOptional: true, maxLength: 500, hint: 'Kept with the change, for ever.' });
}

/** The field Reason of actions that give money or goods away: nothing is sent without one. */
export function givenReason(): Field<string> {
  return text({ label: 'Reason', maxLength: 500, hint: 'Why, kept with the change for ever.' });
}

/** USDT with up to 6 decimals; negative ones as `hint` says. */
export function amount(named: Optional): Field<number | undefined>;
export function amount(named: Named): Field<number>;
export function amount(named: Named & { isOptional?: boolean }): Field<number | undefined> {
  const attributes = {
    type: 'text',
    inputmode: 'decimal',
    pattern: AMOUNT,
    title: 'A number with up to 6 decimals, such as 250 or 0.35',
    autocomplete: 'off',
  };
  return { ...common(named), control: { kind: 'input', attributes }, read: numberOf(named) };
}

interface Range {
  readonly min?: number;
  readonly max?: number;
}

/** A whole number. */
export function whole(named: Optional & Range): Field<number | undefined>;
export function whole(named: Named & Range): Field<number>;
export function whole(named: Named & Range & { isOptional?: boolean }): Field<number | undefined> {
  const { min = 0, max = Number.MAX_SAFE_INTEGER } = named;
  const attributes = { type: 'number', inputmode: 'numeric', step: 1, min, max, autocomplete: 'off' };
  return { ...common(named), control: { kind: 'input', attributes }, read: numberOf(named) };
}

/** The id of one of many, which is found by a part of its name, too. */
export function found(named: Named & { readonly find: Find }): Field<number> {
  const control = { kind: 'find', find: named.find } as const;
  return { ...common(named), control, read: (typed) => idOf(typed.trim()) ?? Number.NaN };
}

/** Text of several lines, as one. */
export function prose(
  named: Named & { rows?: number; maxLength?: number; isOptional?: boolean },
): Field<string> {
  const { rows = 4, maxLength } = named;
  return { ...common(named), maxLength, control: { kind: 'lines', rows }, read: (typed) => typed };
}

/** One item a line; lines without anything are left out. */
export function lines(named: Named & { rows?: number; isOptional?: boolean }): Field<readonly string[]> {
  const control = { kind: 'lines', rows: named.rows ?? 6 } as const;
  return { ...common(named), control, read: (typed) => typed.split(/\r?\n/).filter((line) => line !== '') };
}

/** Rows of two texts each, as many as one adds; those without any text are left out. */
export function rows<One>(
  named: Omit<Named, 'initial'> &
    Omit<RowsOfTwo, 'kind'> & {
      readonly initial?: readonly Row[];
      readonly one: (first: string, second: string) => One;
    },
): Field<readonly One[]> {
  const { noun, most, parts, one, initial = [], ...rest } = named;
  return {
    ...common({ ...rest, initial: textOfRows(initial), isOptional: true }),
    control: { kind: 'rows', noun, most, parts },
    read: (typed) => filledRows(typed).map(([first, second]) => one(first, second)),
  };
}

export function select<Value extends string>(
  named: Named & {
    readonly options: readonly (readonly [value: Value, text: string])[];
    /** An empty value may be chosen. */
    readonly isOptional?: boolean;
  },
): Field<Value> {
  const initial = named.initial ?? named.options[0]?.[0];
  const control = { kind: 'select', options: named.options } as const;
  return { ...common({ ...named, initial }), control, read: (chosen) => chosen as Value };
}

export function check(named: { readonly label: string; hint?: string; isOn?: boolean }): Field<boolean> {
  const { isOn = false, ...rest } = named;
  const initial = isOn ? 'on' : '';
  return {
    ...common({ ...rest, initial, isOptional: true }),
    control: { kind: 'check' },
    read: (on) => on !== '',
  };
}

/** `accept` as in HTML; empty for any file. */
export function file(named: Named & { readonly accept?: string }): Field<File> {
  const { accept = '' } = named;
  return {
    ...common(named),
    control: { kind: 'file', accept },
    read: (_, chosen) => chosen ?? new File([], 'none'),
  };
}

function common({ label, hint, initial = '', isOptional = false }: Named & { isOptional?: boolean }) {
  return {
    label,
    ...(hint === undefined ? {} : { hint }),
    initial: String(initial),
    isRequired: !isOptional,
  };
}

/** The reader of a number. A required field that is still empty is not a number. */
function numberOf({ isOptional = false }: { readonly isOptional?: boolean }) {
  const absent = isOptional ? undefined : Number.NaN;
  return (typed: string) => (typed === '' ? absent : Number(typed));
}
