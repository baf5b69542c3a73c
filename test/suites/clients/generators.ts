/**
 * The generators of clients that npm has, each with the command that runs it on `api.json`. The program that uses what it
 * made, behind one interface, is `programs/` with the name of the command. Their versions are fixed: what a newer one
 * makes of the document is to be looked at.
 */
export interface Generator {
  readonly name: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly command: readonly [string, ...string[]];
  /** Files that the command reads. */
  readonly files?: Readonly<Record<string, string>>;
}

export const GENERATORS: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    packages: { 'openapi-typescript': '7.13.0', 'openapi-fetch': '0.17.0' },
    command: ['openapi-typescript', 'api.json', '-o', 'openapi-typescript/api.ts'],
  },
  {
    name: '@hey-api/openapi-ts',
    packages: { '@hey-api/openapi-ts': '0.99.0' },
    command: ['openapi-ts', '-i', 'api.json', '-o', 'hey-api', '-c', '@hey-api/client-fetch'],
  },
  {
    name: 'orval',
    packages: { orval: '8.38.0' },
    command: ['orval', '--config', 'orval.config.mjs'],
    files: {
      'orval.config.mjs': `
export default {
  purser: {
    input: './api.json',
    output: {
      target: './orval/api.ts', client: 'fetch', mode: 'single',
      override: { mutator: { path: './orval-fetch.ts', name: 'call' }, fetch: { includeHttpResponseReturnType: true } },
    },
  },
};
`,
      'orval-fetch.ts': `
export const settings = { baseUrl: '', apiKey: '' };
export async function call<T>(path: string, options: RequestInit): Promise<T> {
  const headers = { ...options.headers, 'X-API-Key': settings.apiKey };
  const response = await fetch(settings.baseUrl + path, { ...options, headers });
  return { status: response.status, data: await response.json(), headers: response.headers } as T;
}
`,
    },
  },
  {
    name: 'oazapfts',
    packages: { oazapfts: '7.5.0', '@oazapfts/runtime': '1.2.0' },
    command: ['oazapfts', 'api.json', 'oazapfts.gen.ts'],
  },
  {
    name: 'swagger-typescript-api',
    packages: { 'swagger-typescript-api': '13.13.0' },
    command: [
      'swagger-typescript-api',
      'generate',
      '-p',
      'api.json',
      '-o',
      'swagger-typescript-api',
      '-n',
      'api.ts',
    ],
  },
  {
    name: 'kubb',
    packages: {
      ...Object.fromEntries(
        ['cli', 'core', 'plugin-oas', 'plugin-ts', 'plugin-zod', 'plugin-client'].map((name) => [
          `@kubb/${name}`,
          '4.39.3',
        ]),
      ),
      zod: '4.3.6',
    },
    command: ['kubb', 'generate', '-c', 'kubb.config.mjs'],
    files: {
      'kubb.config.mjs': `
import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
import { pluginZod } from '@kubb/plugin-zod';
export default defineConfig({
  root: '.',
  input: { path: './api.json' },
  output: { path: './kubb', format: false, lint: false },
  plugins: [
    pluginOas({ generators: [] }), pluginTs(), pluginZod(),
    pluginClient({ client: 'fetch', bundle: true, dataReturnType: 'full' }),
  ],
});
`,
    },
  },
];
