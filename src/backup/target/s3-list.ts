/**
 * A page of a bucket's list (ListObjectsV2), out of its XML.
 *
 * Names of a backup have no character that XML or URLs write in another way; names that have are not a backup's, and may
 * come out as they are written. So no parser is needed.
 */
export interface ListPage {
  /** Objects in the order of the answer. */
  readonly objects: readonly { readonly key: string; readonly sizeBytes: number }[];
  /** The token that asks for the next page; undefined at the last one. */
  readonly next: string | undefined;
}

/** Undefined when it is no such page. */
export function readListPage(xml: string): ListPage | undefined {
  if (!/<ListBucketResult[\s>]/.test(xml) || !xml.trimEnd().endsWith('</ListBucketResult>')) return undefined;
  const objects = [];
  for (const block of xml.split('<Contents>').slice(1)) {
    const key = textOf(block, 'Key');
    const sizeBytes = Number(textOf(block, 'Size') ?? Number.NaN);
    if (key === undefined || !Number.isSafeInteger(sizeBytes) || sizeBytes < 0) return undefined;
    objects.push({ key, sizeBytes });
  }
  const isTruncated = textOf(xml, 'IsTruncated') === 'true';
  const next = isTruncated ? textOf(xml, 'NextContinuationToken') : undefined;
  return isTruncated && next === undefined ? undefined : { objects, next: plain(next) };
}

function textOf(xml: string, element: string): string | undefined {
  const open = `<${element}>`;
  const from = xml.indexOf(open);
  const to = xml.indexOf(`</${element}>`, from);
  return from === -1 || to === -1 ? undefined : xml.slice(from + open.length, to);
}

/** A token may be any text. */
function plain(text: string | undefined): string | undefined {
  return text
    ?.replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&amp;', '&');
}
