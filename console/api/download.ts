/** Files that the API answers with, or that the page has made, into the browser's downloads. */
import { answered } from './operator-api.ts';

/** `given.headers.accept` says which form is wanted. Throws as `call` does. */
export async function download(
  name: string,
  given: Parameters<typeof answered>[1],
  fileName: string,
): Promise<void> {
  const response = await answered(name, given);
  save(await response.blob(), fileName);
}

export function save(content: Blob, fileName: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  // The browser has taken hold of it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
