/**
 * A text with entities, read as Telegram reads it: HTML that it would refuse is refused, with its words, and so is a text
 * that is empty or too long when its marks are taken off. Lengths are in UTF-16 units, which is never less strict.
 */
import type { Parameters } from './parameters.ts';
import { badRequest } from './refusal.ts';

export interface Entity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
}

export interface MarkedText {
  readonly text: string;
  readonly entities: readonly Entity[];
}

const MAX_CHARACTERS = { text: 4_096, caption: 1_024 } as const;
const TOO_LONG = { text: 'message is too long', caption: 'message caption is too long' } as const;
/** By tag. */
const TYPES: Readonly<Record<string, string>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  span: 'spoiler',
  'tg-spoiler': 'spoiler',
  a: 'text_link',
  code: 'code',
  pre: 'pre',
  blockquote: 'blockquote',
};
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };
const PIECE = /<(\/?)([^\s>]*)([^>]*)>|&(lt|gt|amp|quot|#\d{1,6}|#x[\da-f]{1,5});|[^<&]+|[<&]/gi;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The `text` or the `caption` of a message. A caption may be left out. */
export function markedTextOf(parameters: Parameters, name: 'text' | 'caption'): MarkedText {
  const given = parameters.text(name) ?? '';
  if (LONE_SURROGATE.test(given)) throw badRequest('strings must be encoded in UTF-8');
  const mode = parameters.text('parse_mode') ?? '';
  if (!/^(html)?$/i.test(mode)) throw badRequest('unsupported parse_mode');
  const entities = parameters.json(name === 'text' ? 'entities' : 'caption_entities');
  const plain = { text: given, entities: Array.isArray(entities) ? (entities as Entity[]) : [] };
  const marked = trimmed(mode === '' ? plain : readHtml(given));
  if (marked.text === '' && name === 'text') throw badRequest('message text is empty');
  if (marked.text.length > MAX_CHARACTERS[name]) throw badRequest(TOO_LONG[name]);
  return marked;
}

export function readHtml(html: string): MarkedText {
  const open: { readonly tag: string; readonly offset: number; readonly url: string | undefined }[] = [];
  const entities: Entity[] = [];
  let text = '';
  for (const piece of html.matchAll(PIECE)) {
    const [whole, slash, tag = '', attributes = '', character] = piece;
    const fail = (what: string) => cannotParse(`${what} at byte offset ${bytesBefore(html, piece.index)}`);
    if (character !== undefined) text += characterOf(character);
    else if (whole === '<') throw fail('Unclosed start tag');
    else if (slash === undefined) text += whole;
    else if (slash === '') open.push(opened(tag.toLowerCase(), attributes, text.length, fail));
    else {
      const last = open.pop();
      if (last === undefined) throw fail('Unexpected end tag');
      if (last.tag !== tag.toLowerCase())
        throw cannotParse(`Unmatched end tag, expected "</${last.tag}>", found "</${tag}>"`);
      entities.push(entityOf(last, text.length));
    }
  }
  const unended = open.pop();
  if (unended !== undefined)
    throw cannotParse(`Can't find end tag corresponding to start tag "${unended.tag}"`);
  return { text, entities: entities.sort((a, b) => a.offset - b.offset) };
}

function opened(tag: string, attributes: string, offset: number, fail: (what: string) => Error) {
  if (!Object.hasOwn(TYPES, tag)) throw fail(`Unsupported start tag "${tag}"`);
  if (tag === 'span' && !/class="?tg-spoiler/.test(attributes))
    throw fail('Tag "span" must have class "tg-spoiler"');
  return { tag, offset, url: /href="([^"]*)"/.exec(attributes)?.[1] };
}

function entityOf(
  { tag, offset, url }: { tag: string; offset: number; url: string | undefined },
  end: number,
) {
  const entity = { type: TYPES[tag] ?? '', offset, length: end - offset };
  return url === undefined ? entity : { ...entity, url };
}

function characterOf(name: string): string {
  if (!name.startsWith('#')) return NAMED[name.toLowerCase()] ?? '';
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return String.fromCodePoint(code);
}

function bytesBefore(text: string, index: number): number {
  return Buffer.byteLength(text.slice(0, index));
}

function cannotParse(what: string): Error {
  return badRequest(`can't parse entities: ${what}`);
}

/** White space at both ends is taken off, as Telegram does, and entities that hold nothing are. */
function trimmed({ text, entities }: MarkedText): MarkedText {
  const begin = text.length - text.trimStart().length;
  const kept = text.trim();
  const cut = entities.map((entity) => {
    const from = Math.max(entity.offset - begin, 0);
    const until = Math.min(entity.offset + entity.length - begin, kept.length);
    return { ...entity, offset: from, length: until - from };
  });
  return { text: kept, entities: cut.filter(({ length }) => length > 0) };
}
