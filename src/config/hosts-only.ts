/**
 * URLs in a text, each cut to its scheme and host: user, password, path and query may hold what only the owner may
 * know.
 */
const URL_TEXT = /([a-z][a-z\d+.-]*:\/\/)(?:[^\s/?#@]*@)?([^\s/?#,"]*)[^\s,"]*/gi;

export function hostsOnly(text: string): string {
  return text.replace(URL_TEXT, '$1$2');
}
