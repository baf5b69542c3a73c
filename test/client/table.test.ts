/** The client for Node runs through the table of cases that the clients in other languages have (`table/case.ts`). */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { casesFor } from './table/case.ts';
import { NodeDriver } from './table/node-driver.ts';
import { runCase } from './table/run-case.ts';

describe('the table of cases', () => {
  let folder: TemporaryFolder;

  before(async () => {
    folder = await createTemporaryFolder('table');
  });
  after(() => folder.remove());

  for (const [index, row] of casesFor('node').entries()) {
    test(row.name, async () => {
      const own = join(folder.path, String(index));
      mkdirSync(own);
      const driver = new NodeDriver();
      await runCase(row, driver, own, driver.timeOut);
    });
  }
});
