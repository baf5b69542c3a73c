/**
 * Places in compiled files, told as places in the sources. Node's own way, `--enable-source-maps`, reads the map of each
 * file that a process and its threads load, whether something fails or not: the runner reads those of what it prints.
 */
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, join } from 'node:path';

const PLACE = /(?:file:\/\/)?([^\s()'"`]*\bdist\/(?:src|test|bench|examples)\/[^\s()'"`:]+\.js):(\d+):(\d+)/g;

/** Places that are in no map stay as they are. */
export function inSources(text: string): string {
  return text.replace(PLACE, (told, file: string, line: string, column: string) => {
    try {
      const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload);
      const found = map.findEntry(Number(line) - 1, Number(column) - 1);
      if (!('originalSource' in found)) return told;
      const { originalSource, originalLine, originalColumn } = found;
      return `${join(dirname(file), originalSource)}:${originalLine + 1}:${originalColumn + 1}`;
    } catch {
      return told;
    }
  });
}

/** Writes whole lines of what it is given, as places in the sources; the returned function takes `undefined` at the end. */
export function writerInSources(write: (text: string) => void): (text: string | undefined) => void {
  let rest = '';
  return (text) => {
    rest += text ?? '';
    const end = text === undefined ? rest.length : rest.lastIndexOf('\n') + 1;
    write(inSources(rest.slice(0, end)));
    rest = rest.slice(end);
  };
}
