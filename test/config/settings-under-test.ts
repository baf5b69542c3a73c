/** Settings as a start reads them, from sources that a test gives. */
import { type Environment, type Flags, loadConfig } from '../../src/config/config.ts';

export interface Sources {
  readonly flags?: Flags;
  readonly env?: Environment;
  /** The content of the configuration file, or its text when it isn't JSON. */
  readonly file?: unknown;
}

export function load({ flags = {}, env = {}, file }: Sources) {
  const withFile = file === undefined ? flags : { ...flags, config: 'purser.json' };
  return loadConfig(withFile, env, (path) => {
    if (path !== 'purser.json') throw new Error(`ENOENT: no such file, open '${path}'`);
    return typeof file === 'string' ? file : JSON.stringify(file);
  });
}
