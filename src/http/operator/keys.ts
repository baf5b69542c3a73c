/** API keys: POST and DELETE /accounts/{id}/key. A key is shown once; issuing one kills the one before. */
import { SCOPES, type Scope } from '../../engine/scope.ts';
import { generateApiKey } from '../auth.ts';
import { accountFields } from './accounts.ts';
import { optionalBody } from './operator-body.ts';
import type { OperatorRoute, OperatorServices } from './operator-route.ts';

const NEW_KEY = {
  type: 'object',
  properties: {
    scopes: { type: 'array', items: { type: 'string', enum: SCOPES }, minItems: 1, uniqueItems: true },
  },
} as const;

export function keyRoutes({ clock }: OperatorServices): OperatorRoute[] {
  const newKey = optionalBody<{ readonly scopes?: readonly Scope[] }>(NEW_KEY);
  return [
    {
      method: 'POST',
      path: '/accounts/{id}/key',
      handle: (context) =>
        context.readJson(newKey, (body) => {
          const { apiKey, key } = generateApiKey(context.id, body.scopes ?? SCOPES, clock());
          context.submit({ kind: 'IssueKey', accountId: context.id, key }, () =>
            context.succeed(201, {
              accountId: context.id,
              apiKey,
              keyPrefix: key.prefix,
              scopes: key.scopes,
            }),
          );
        }),
    },
    {
      method: 'DELETE',
      path: '/accounts/{id}/key',
      handle: (context) =>
        context.submit({ kind: 'RevokeKey', accountId: context.id }, (account) =>
          context.succeed(200, accountFields(account)),
        ),
    },
  ];
}
