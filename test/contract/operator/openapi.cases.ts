/**
 * The operators' OpenAPI document is what their routes are: what the document has, the server does, and the other way
 * round. That every answer of other tests is documented is checked where they get it (`CheckedOperatorClient`).
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { API_ERRORS } from '../../../src/engine/api-errors.ts';
import { documentedPath } from '../../../src/http/openapi/request-parameters.ts';
import type { OperatorRoute } from '../../../src/http/operator/operator-route.ts';
import { operatorAnswers } from '../../support/checked-operator-client.ts';
import { OperatorClient } from '../../support/operator-client.ts';
import type { OpenApiDocument, OpenApiParameter } from '../openapi/documented-answers.ts';
import { callsOf, checkExamples, type DocumentedCall } from '../openapi/openapi-promises.ts';
import { casesOf } from '../scene.ts';
import { documentText, ROUTES } from './route-table.ts';

const BESIDE = 'a file of src/http/operator/ whose name ends with -operations.ts';

export const operatorDocument = casesOf('operator API: OpenAPI document', (scene) => {
  let document: OpenApiDocument;
  let calls: DocumentedCall[];
  before(() => {
    document = operatorAnswers.document;
    calls = callsOf(document);
  });

  function documented({ method, path }: OperatorRoute): DocumentedCall {
    const found = calls.find((call) => call.method === method && call.path === documentedPath(path));
    return found ?? assert.fail(`${method} ${path} is not in the document`);
  }

  function queryOf({ operation }: DocumentedCall): readonly OpenApiParameter[] {
    return (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
  }

  test('a node gives it without a token, the one that the tests have', async () => {
    const stranger = new OperatorClient(scene.server.operatorUrl, '');
    const reply = await stranger.request('GET', '/openapi.json', { authorization: '' });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    assert.equal(reply.text, documentText());
    assert.equal(new URL(scene.server.operatorUrl).pathname, document.servers[0]?.url);
  });

  test('every route says what it does', () => {
    for (const { method, path, operation } of ROUTES) {
      assert.equal(
        typeof operation?.operationId,
        'string',
        `${method} ${path} has no operation: describe it in ${BESIDE}, and give it to operatorRoute, bodyRoute or deleteRoute, behind the call`,
      );
    }
    const ids = calls.map(({ operation }) => operation.operationId);
    assert.equal(new Set(ids).size, ids.length, 'an operationId is there twice');
  });

  test('it has every route, and no other, each with its roles', () => {
    const named = ROUTES.map(({ method, path }) => `${method} ${documentedPath(path)}`);
    assert.deepEqual(calls.map(({ method, path }) => `${method} ${path}`).sort(), named.sort());
    for (const route of ROUTES) {
      const { operation } = documented(route);
      const { isOpen } = route;
      assert.deepEqual(operation['x-roles'], isOpen ? undefined : [...route.roles, 'owner'], route.path);
      assert.equal(operation.security.length, isOpen ? 0 : 1, route.path);
    }
  });

  test('its calls come tag by tag, and by path within one', () => {
    const tags = document.tags.map(({ name }) => name);
    const placeOf = ({ operation, path }: DocumentedCall) =>
      `${tags.indexOf(operation.tags[0] ?? '') + 100} ${ROUTES.find((route) => documentedPath(route.path) === path)?.path}`;
    const places = calls.map(placeOf);
    assert.deepEqual(places, places.toSorted());
  });

  test('it has every field of every query, with what it is', () => {
    for (const route of ROUTES) {
      const fields = queryOf(documented(route));
      const call = `${route.method} ${route.path}`;
      assert.deepEqual(fields.map(({ name }) => name).sort(), Object.keys(route.query).sort(), call);
    }
  });

  test('it has the body of every route that validates one, with what each field is', () => {
    for (const route of ROUTES) {
      const { schema } = route.body ?? {};
      const content = documented(route).operation.requestBody?.content['application/json'];
      const call = `${route.method} ${route.path}`;
      assert.equal(content !== undefined, schema !== undefined, call);
      for (const [name, field] of Object.entries(schema?.properties ?? {})) {
        const isSaid = field.description !== undefined || field.type === 'object' || isId(name);
        assert.ok(
          isSaid,
          `${call}: the schema of its body doesn't say what ${name} is: give it a description`,
        );
      }
    }
  });

  test('its table of errors has all errors of its calls, and no others', () => {
    const codes = new Set(
      calls.flatMap(({ operation }) =>
        Object.values(operation.responses).flatMap((response) =>
          (response['x-errors'] ?? []).map(({ code }) => code),
        ),
      ),
    );
    const listed = Object.keys(API_ERRORS).filter((code) =>
      document.info.description.includes(`\n| \`${code}\` |`),
    );
    assert.deepEqual(listed.sort(), [...codes].sort());
  });

  test('every body and JSON answer has an example, which is valid by its schema', () => {
    checkExamples(operatorAnswers);
  });
});

/** `accountId` and the like say it themselves. */
function isId(name: string): boolean {
  return name.endsWith('Id');
}
