/**
 * The table of cases for the clients in all languages: what a scripted server does, what a program calls, and what comes
 * of it. One truth: the client for Node runs through it in the first tier, the others in `test/suites/clients/`.
 *
 * The rows of the JSON files are cases of their own; those of errors are made of the server's table of errors, and those
 * of webhook deliveries of `docs/webhook-vectors.json`, so that a code or a vector that is added is a case.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_ERRORS } from '../../../src/engine/api-errors.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import type { StepRow } from './steps.ts';

/** What a driver is told to do (`drivers` in `test/suites/clients/`), with the fields of a call beside `do`. */
export interface Call {
  readonly do: string;
  /** The order that it must bring. */
  readonly order?: number;
  /** Fields that its value must have; others may come. */
  readonly value?: unknown;
  /** As `value`, with money as the driver's texts have it. */
  readonly raw?: unknown;
  readonly error?: Readonly<Record<string, unknown>>;
  readonly refused?: string;
  /** Whether it is refused before anything is sent. */
  readonly invalid?: true;
  readonly delaysMs?: readonly number[];
  /** Of `resume` and `unfinished`: how many purchases of the store are not done. */
  readonly of?: number;
  readonly [argument: string]: unknown;
}

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  /** Null for a header that must not be there. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: unknown;
  /** A part of the body's text. */
  readonly text?: string;
}

export interface Case {
  readonly name: string;
  /** The languages that it is not for. */
  readonly not?: readonly string[];
  readonly options?: { readonly maxAttempts?: number; readonly store?: true; readonly place?: true };
  /** What the server does, request by request; of several nodes `nodes`. */
  readonly steps?: readonly StepRow[];
  readonly nodes?: readonly (readonly StepRow[] | 'dead')[];
  /** How many of the nodes the client is given, or what is put after the address. */
  readonly addresses?: number | string;
  readonly calls: readonly Call[];
  /** Which nodes are asked, in order. Default: all steps are used. */
  readonly asked?: readonly number[];
  /** How many keys the purchases have; default 1. */
  readonly keys?: number;
  readonly sent?: readonly Sent[];
}

const FOLDER = join(repositoryRoot(), 'test', 'client', 'table');
const VECTORS = join(repositoryRoot(), 'docs', 'webhook-vectors.json');
const STATUS_WITHOUT = new Set(['SALES_CLOSED']);

export function casesFor(language: string): Case[] {
  const rows = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Case[]);
  return [...rows, ...ofErrors(), ...ofDeliveries()].filter(({ not }) => not?.includes(language) !== true);
}

/** Each error that buyers are answered: whether the purchase is sent again by itself, and what is said of the money. */
function ofErrors(): Case[] {
  return Object.entries(API_ERRORS).flatMap(([code, { status, isRetried, charge, isOperators }]): Case[] => {
    if (isOperators) return [];
    const step = `${status} ${code}${STATUS_WITHOUT.has(code) ? ' 30' : ''}`;
    const delaysMs = [STATUS_WITHOUT.has(code) ? 30_000 : 1_000];
    const isCharged = charge === 'none' || charge === 'not-now' ? false : 'unknown';
    const error = { code, status, isCharged, requestId: 'req_1' };
    const name = `the error ${code}`;
    if (!isRetried) {
      return [
        { name, steps: [step], calls: [{ do: 'buy', error: { ...error, attempts: 1 }, delaysMs: [] }] },
      ];
    }
    // Before the last one, an answer is lost: what an error knows of earlier attempts is a part of its row.
    const after = charge === 'not-now' ? 'unknown' : isCharged;
    return [
      {
        name: `${name}, then the order`,
        steps: [step, 'placed'],
        calls: [{ do: 'buy', order: 41, delaysMs }],
      },
      {
        name: `${name} after a lost answer`,
        options: { maxAttempts: 2 },
        steps: ['breakOff', step],
        calls: [{ do: 'buy', error: { ...error, isCharged: after, attempts: 2 } }],
      },
    ];
  });
}

interface Vector {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly nowMs: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly expect: string;
}

function ofDeliveries(): Case[] {
  const { vectors } = JSON.parse(readFileSync(VECTORS, 'utf8')) as { readonly vectors: readonly Vector[] };
  const [genuine] = vectors;
  if (genuine === undefined) throw new Error('there are no vectors');
  const late = { ...genuine, name: 'a clock six minutes ahead', nowMs: genuine.nowMs + 360_000 };
  const early = { ...genuine, name: 'a clock six minutes behind', nowMs: genuine.nowMs - 360_000 };
  const clocks = [late, early].map((vector) => ({ ...vector, expect: 'outside-tolerance' }));
  const twice = { ...genuine, name: 'a repeated delivery has the same event' };
  return [
    ...[...vectors, ...clocks].map(({ name, ...vector }) => ({
      name: `a delivery: ${name}`,
      calls: [verified(vector)],
    })),
    { name: twice.name, calls: [verified(twice), verified(twice)] },
    {
      name: 'a narrower tolerance',
      calls: [
        { ...verified(genuine), toleranceMs: 1_000, nowMs: genuine.nowMs + 1_000 },
        verified({ ...genuine, nowMs: genuine.nowMs + 1_001, expect: 'outside-tolerance' }, 1_000),
      ],
    },
    {
      name: 'headers of another case, and a body that was written again',
      calls: [
        { ...verified(genuine), headers: lowerCase(genuine.headers) },
        verified({ ...genuine, body: ` ${genuine.body}`, expect: 'wrong-signature' }),
        { ...verified(genuine), secrets: [''], value: undefined, invalid: true as const },
        { ...verified(genuine), secrets: [], value: undefined, invalid: true as const },
      ],
    },
  ];
}

function verified(
  { secrets, nowMs, headers, body, expect }: Omit<Vector, 'name'>,
  toleranceMs?: number,
): Call {
  const call = { do: 'verify', secrets, nowMs, headers, body: Buffer.from(body).toString('base64') };
  const given = toleranceMs === undefined ? call : { ...call, toleranceMs };
  if (expect !== 'valid') return { ...given, refused: expect };
  // An id as 4.1e1 is no id that a server sends; clients with exact decimals may give it as one.
  const event = JSON.parse(body, (_name, value) => (/\de\d/.test(body) && value === 41 ? undefined : value));
  return { ...given, value: event };
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
