/**
 * Texts of a language, and how their places are filled in. Whatever is filled in is escaped, so that nobody's name can be
 * markup; amounts, codes and ids are the same in every language.
 */
import { en, type TextName, type Texts } from './en.ts';
import { ru } from './ru.ts';
import { zh } from './zh.ts';

export type { TextName, Texts };
export type Values = Readonly<Record<string, string | number>>;

export const LANGUAGES = { en, ru, zh } as const satisfies Readonly<Record<string, Texts>>;
export type Language = keyof typeof LANGUAGES;

const PLACE = /\{(\w+)\}/g;
/** Entities of HTML that Telegram knows. */
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** HTML. */
export function fill(template: string, values: Values = {}): string {
  return template.replaceAll(PLACE, (_place, name: string) => escaped(String(values[name] ?? '')));
}

/** The text alone, as it is shown, or written to a file. */
export function fillPlain(template: string, values: Values = {}): string {
  return template
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(PLACE, (_place, name: string) => String(values[name] ?? ''));
}

export function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}

/** The text of HTML that this bot made: as long as Telegram counts it. */
export function plainOf(html: string): string {
  const text = html.replaceAll(/<[^>]*>/g, '');
  return Object.entries(ENTITIES).reduceRight((rest, [sign, entity]) => rest.replaceAll(entity, sign), text);
}

/** A time that is read alike everywhere. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
