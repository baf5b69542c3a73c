/**
 * The operators' client of tests: every answer that it gets is held against the OpenAPI document of the operator API,
 * and a call fails when the document doesn't tell of such an answer.
 *
 * The document is made in this process, of the routes that the node runs on; `operator/openapi.cases.ts` proves that a node
 * gives the same. The benchmark uses the client without this.
 */
import { DocumentedAnswers } from '../contract/openapi/documented-answers.ts';
import { documentText } from '../contract/operator/route-table.ts';
import { OperatorClient, type OperatorReply } from './operator-client.ts';

/** The answers that all clients of this process have seen. */
export const operatorAnswers = new DocumentedAnswers(documentText());

export class CheckedOperatorClient extends OperatorClient {
  override async request(...asked: Parameters<OperatorClient['request']>): Promise<OperatorReply> {
    const reply = await super.request(...asked);
    const [method, path] = asked;
    operatorAnswers.check(method, path, { ...reply, headers: Object.fromEntries(reply.headers) });
    return reply;
  }
}
