/**
 * Whether text is a media type that may be sent on as a `Content-Type` (RFC 9110 §8.3.1): `type/subtype` with
 * parameters. Nothing it accepts can end a header line or hold a byte beyond printable ASCII.
 */

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = String.raw`"(?:[\x20!#-\[\]-~]|\\[\x20-~])*"`;
const MEDIA_TYPE = new RegExp(`^${TOKEN}/${TOKEN}(?: *; *${TOKEN}=(?:${TOKEN}|${QUOTED}))*$`);

export function isMediaType(text: string): boolean {
  return MEDIA_TYPE.test(text);
}
