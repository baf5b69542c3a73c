/** The pages of a list as the API gives them, for an endless list. */
import type { AnswerOf, Call, GivenTo } from '../../api/call-types.ts';
import { answered } from '../../api/operator-api.ts';
import type { LoadPage } from './paged-rows.ts';

type RowOf<List> = List extends readonly (infer Row)[] ? Row : never;
type Arguments<C extends Call> =
  Record<never, never> extends GivenTo<C> ? [given?: GivenTo<C>] : [given: GivenTo<C>];

/** The rows are the answer's `field`: `pagesOf('GET /accounts', 'accounts', { query: { search } })`. */
export function pagesOf<C extends Call, Field extends keyof AnswerOf<C>>(
  name: C,
  field: Field,
  ...[given]: Arguments<C>
): LoadPage<RowOf<AnswerOf<C>[Field]>> {
  const { query, ...rest }: { readonly query?: object } = given ?? {};
  return async (cursor, limit, signal) => {
    const response = await answered(name, { ...rest, query: { ...query, cursor, limit }, signal });
    const answer = await response.json();
    return { rows: answer[field], nextCursor: answer.nextCursor };
  };
}
