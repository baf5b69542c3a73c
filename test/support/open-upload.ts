/** An upload whose body goes on until it is told to end. */
import type { OperatorClient, OperatorReply } from './operator-client.ts';

export interface OpenUpload {
  /** The body has all of it with this. */
  end(last: string): Promise<OperatorReply>;
}

/** The first part is on its way when this returns. */
export function openUpload(
  operator: OperatorClient,
  method: string,
  path: string,
  first: string,
  contentType = 'text/plain',
): OpenUpload {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const send = (text: string) => writer.write(Buffer.from(text));
  const answer = operator.request(method, path, { 'content-type': contentType }, readable);
  // It may be answered, and cut, before its end.
  send(first).catch(() => undefined);
  return {
    end: (last) => {
      send(last)
        .then(() => writer.close())
        .catch(() => undefined);
      return answer;
    },
  };
}
