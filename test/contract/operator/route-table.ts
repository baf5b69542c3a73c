/** Every route of the operator API, as the server has it: for tests that must not forget one. */
import { everyRoute } from '../../../src/http/operator/every-route.ts';
import { OperatorApi, type OperatorApiOptions } from '../../../src/http/operator/operator-api.ts';
import type { OperatorContext } from '../../../src/http/operator/operator-context.ts';
import type { OperatorRoute } from '../../../src/http/operator/operator-route.ts';
import { ListenerMeters } from '../../../src/metrics/request-meter.ts';

/** Nothing is called here, so that the routes need none of their services. */
const NO_SERVICES = {
  names: [],
  pages: [],
  meters: new ListenerMeters('operator'),
} as unknown as OperatorApiOptions & Parameters<typeof everyRoute>[0];

const routes = everyRoute(NO_SERVICES);
export const ROUTES: readonly OperatorRoute[] = new OperatorApi({ ...NO_SERVICES, routes }).routes;

/** Called by probes and scrapers, with any query. All but `/metrics` need no token. */
export const PROBES = ['/live', '/ready', '/openapi.json', '/metrics'];

/** A path that has the form of the route's; what it names isn't there. */
export function pathOf({ path }: OperatorRoute): string {
  return path.replace('{id}', '999999999').replace('{name}', 'nothing');
}

/** The OpenAPI document as a node gives it. */
export function documentText(): string {
  let text = '';
  const document = ROUTES.find(({ path }) => path === '/openapi.json');
  const context = {
    send: (_status: number, json: string) => {
      text = json;
    },
  };
  document?.handle(context as unknown as OperatorContext);
  return text;
}
