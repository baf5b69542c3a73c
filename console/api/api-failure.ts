/** Failures of a call: a refusal of the node, or no answer at all. */

/** The node refused. `message` is for people, as the API says it. */
export class ApiFailure extends Error {
  /** A code of the table of errors, such as `NOT_FOUND`. */
  readonly code: string;
  readonly status: number;
  /** For the node's log; empty when something before the node answered. */
  readonly requestId: string;
  /** The answer's other fields, such as `currentPriceUsdt`. */
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Readonly<Record<string, unknown>>) {
    const { error, message, requestId, success: _, ...fields } = body;
    super(typeof message === 'string' ? message : `The answer was ${status}, without a reason.`);
    this.name = 'ApiFailure';
    this.code = typeof error === 'string' ? error : 'UNKNOWN';
    this.status = status;
    this.requestId = typeof requestId === 'string' ? requestId : '';
    this.fields = fields;
  }
}

/** Nothing answered: whether the node did what it was asked is not known. */
export class NodeAway extends Error {
  constructor() {
    super('The node does not answer.');
    this.name = 'NodeAway';
  }
}

/** Somebody stopped waiting, as a screen does that is left: nothing to tell. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** The refusal that `response` is. */
export async function failureOf(response: Response): Promise<ApiFailure> {
  const body = await response.json().catch(() => ({}));
  return new ApiFailure(response.status, typeof body === 'object' && body !== null ? body : {});
}
