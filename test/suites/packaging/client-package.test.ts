/** The package as an installation has it: the files are in it, and their types work in a project of any kind. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { repositoryRoot } from '../../support/repository-root.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const ROOT = repositoryRoot();
const TYPES = join(realpathSync(ROOT), 'dist', 'src', 'client');

test('the package holds the client, its types, and the recorded deliveries', () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const [pack] = JSON.parse(
    execFileSync('npm', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] }).toString(),
  );
  const packed = new Set(pack.files.map(({ path }: { path: string }) => path));
  for (const name of ['entry', 'purser-client', 'webhook-signature', 'resources', 'api-types']) {
    assert.ok(packed.has(`dist/src/client/${name}.js`), `${name}.js`);
    assert.ok(packed.has(`dist/src/client/${name}.d.ts`), `${name}.d.ts: run \`npm run build\``);
  }
  assert.ok(packed.has('dist/src/engine/api-errors.js') && packed.has('dist/src/engine/api-errors.d.ts'));
  assert.ok(packed.has('docs/webhook-vectors.json'));
});

const PROGRAM = `
import { PurserClient, PurserError, verifyWebhook, type Order } from 'purser/client';
const client = new PurserClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'pk', fetch, onRetry: ({ error }) => error.code });
const purchase = client.purchase({ productId: 1, expectedPriceUsdt: 9.5, recipient: { username: '@somebody' } });
const key: string = purchase.idempotencyKey;
async function buy(): Promise<Order> {
  const order = await purchase.send({ signal: new AbortController().signal });
  const items: readonly string[] = order.delivery?.items ?? [];
  const left: number = order.balanceAfterUsdt + items.length + key.length;
  // @ts-expect-error: a misspelt field
  order.delivry;
  // @ts-expect-error: the price is not optional
  client.purchase({ productId: 1 });
  return left > 0 ? order : client.waitForOrder(1);
}
async function receive(headers: Headers, body: string): Promise<number> {
  const event = await verifyWebhook({ headers, body, secret: ['a', 'b'] });
  switch (event.type) {
    case 'order.completed': return event.orderId;
    case 'stock.changed': return event.productIds.length;
    default: return 0;
  }
}
buy().catch((error: unknown) => error instanceof PurserError && error.isCharged === 'unknown');
receive(new Headers(), '');
`;

const RECEIVER = `
import { createServer } from 'node:http';
createServer(async ({ headers }, response) => {
  await verifyWebhook({ headers, body: Buffer.from('{}'), secret: 'a' });
  response.end();
});
`;

const PROJECTS = [
  ['a Node program', `${PROGRAM}${RECEIVER}`, { module: 'NodeNext', lib: ['ES2022'], types: ['node'] }],
  [
    'a worker, bundled',
    PROGRAM,
    { module: 'ESNext', moduleResolution: 'Bundler', lib: ['ES2022', 'DOM'], types: [] },
  ],
] as const;

for (const [name, program, options] of PROJECTS) {
  test(`its types work in ${name}`, async () => {
    const folder = await createTemporaryFolder('client-types');
    mkdirSync(join(folder.path, 'node_modules'));
    symlinkSync(ROOT, join(folder.path, 'node_modules', 'purser'));
    symlinkSync(join(ROOT, 'node_modules', '@types'), join(folder.path, 'node_modules', '@types'));
    const compilerOptions = { strict: true, noEmit: true, target: 'ES2022', skipLibCheck: false, ...options };
    const config = JSON.stringify({ compilerOptions, files: ['program.mts'] });
    writeFileSync(join(folder.path, 'tsconfig.json'), config);
    writeFileSync(join(folder.path, 'program.mts'), program);
    assert.equal(faultsOf(folder.path), '');
    await folder.remove();
  });
}

/** As `tsc` says it, of the program and of every file of the package; what is wrong with others' is theirs. */
function faultsOf(project: string): string {
  const found: ts.Diagnostic[] = [];
  const host = {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (fault: ts.Diagnostic) => found.push(fault),
  };
  const config = ts.getParsedCommandLineOfConfigFile(join(project, 'tsconfig.json'), {}, host);
  assert.ok(config);
  const program = ts.createProgram(config.fileNames, config.options);
  const files = program.getSourceFiles().filter(({ fileName }) => !isOthers(fileName));
  assert.ok(files.length > 3, 'the program and the types that it imports');
  found.push(...config.errors, ...program.getOptionsDiagnostics(), ...program.getSyntacticDiagnostics());
  found.push(
    ...program.getGlobalDiagnostics(),
    ...files.flatMap((file) => program.getSemanticDiagnostics(file)),
  );
  const { getCurrentDirectory } = ts.sys;
  return ts.formatDiagnostics(found, {
    getCanonicalFileName: (name) => name,
    getCurrentDirectory,
    getNewLine: () => '\n',
  });
}

function isOthers(file: string): boolean {
  return !file.startsWith(TYPES) && /\/node_modules\/(@types|typescript|undici-types)\//.test(file);
}
