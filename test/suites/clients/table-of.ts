/** The table of cases for the client of one language, by its driver. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { casesFor } from '../../client/table/case.ts';
import { runCase } from '../../client/table/run-case.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { assertInstalled, type DriverProcess, type Language } from './driver-process.ts';

/** `start` is called with an empty folder of its own. */
export function tableOf(language: Language, start: (folder: string) => DriverProcess): void {
  describe(`the client for ${language.name}: the table of cases`, () => {
    let folder: TemporaryFolder;
    let driver: DriverProcess;

    before(async () => {
      assertInstalled(language);
      folder = await createTemporaryFolder(`table-${language.name}`);
      driver = start(folder.path);
    });
    after(async () => {
      await driver?.end();
      await folder?.remove();
    });

    for (const [index, row] of casesFor(language.name).entries()) {
      test(row.name, async () => {
        const own = join(folder.path, String(index));
        mkdirSync(own);
        await runCase(row, driver, own);
      });
    }
  });
}
