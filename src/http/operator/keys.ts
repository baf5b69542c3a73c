/** API keys: POST and DELETE /accounts/{id}/key. A key is shown once; issuing one kills the one before. */
import { SCOPES } from '../../engine/scope.ts';
import { generateApiKey } from '../auth.ts';
import { route } from '../router.ts';
import { accountFields } from './accounts.ts';
import { optionalBody } from './operator-body.ts';
import { bodyRoute, type OperatorRoute, type OperatorServices } from './operator-route.ts';

const KEY_PROPERTIES = {
  scopes: { type: 'array', items: { type: 'string', enum: SCOPES }, minItems: 1, uniqueItems: true },
} as const;

export function keyRoutes({ clock }: OperatorServices): OperatorRoute[] {
  return [
    bodyRoute('POST /accounts/{id}/key', optionalBody(KEY_PROPERTIES), (context, body) => {
      const { id: accountId } = context;
      const { apiKey, key } = generateApiKey(accountId, body.scopes ?? SCOPES, clock());
      context.submit({ kind: 'IssueKey', accountId, key }, () =>
        context.succeed(201, { accountId, apiKey, keyPrefix: key.prefix, scopes: key.scopes }),
      );
    }),
    route('DELETE /accounts/{id}/key', (context) =>
      context.submit({ kind: 'RevokeKey', accountId: context.id }, (account) =>
        context.succeed(200, accountFields(account)),
      ),
    ),
  ];
}
