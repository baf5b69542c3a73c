/**
 * A disk whose syncs are slow now and then, for a server under test: preloaded into it and its threads, it holds back
 * what LMDB says of a write that is done. So it costs a test nothing that a slow disk doesn't, and needs no rights.
 */
import { createRequire } from 'node:module';

/** In which most syncs end, and how long one in twenty takes. */
const USUAL_MS = 10;
const SLOW_MS = 300;
const SLOW_SHARE = 0.05;

/** For a server's environment. */
export const SLOW_SYNCS = {
  NODE_OPTIONS: `--import ${import.meta.url}`,
  PURSER_TEST_SLOW_SYNCS: 'yes',
};

interface Table {
  put(...row: unknown[]): Promise<boolean>;
}

interface Root {
  transactionSync(work: () => unknown): unknown;
  openDB(...named: unknown[]): Table;
}

if (process.env.PURSER_TEST_SLOW_SYNCS === 'yes') {
  // As the server requires it: the same object.
  const lmdb: { open(options: unknown): Root } = createRequire(import.meta.url)('lmdb');
  const open = lmdb.open;
  lmdb.open = (options) => slowed(open(options));
}

function slowed(root: Root): Root {
  const transactionSync = root.transactionSync.bind(root);
  const openDB = root.openDB.bind(root);
  root.transactionSync = (work) => {
    const result = transactionSync(work);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, syncMs());
    return result;
  };
  root.openDB = (...named) => {
    const table = openDB(...named);
    const put = table.put.bind(table);
    table.put = async (...row) => {
      const isPut = await put(...row);
      await new Promise((resolve) => setTimeout(resolve, syncMs()));
      return isPut;
    };
    return table;
  };
  return root;
}

function syncMs(): number {
  return Math.random() < SLOW_SHARE ? SLOW_MS : Math.random() * USUAL_MS;
}
