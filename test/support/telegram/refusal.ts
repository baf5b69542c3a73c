/** An answer of the Bot API that is no success. Its words are those of Telegram, as programs look for them. */
export class Refusal extends Error {
  readonly code: number;
  readonly retryAfter: number | undefined;

  constructor(code: number, description: string, retryAfter?: number) {
    super(description);
    this.name = 'Refusal';
    this.code = code;
    this.retryAfter = retryAfter;
  }

  get json(): object {
    const parameters = this.retryAfter === undefined ? {} : { parameters: { retry_after: this.retryAfter } };
    return { ok: false, error_code: this.code, description: this.message, ...parameters };
  }
}

export function badRequest(description: string): Refusal {
  return new Refusal(400, `Bad Request: ${description}`);
}

export function tooMany(seconds: number): Refusal {
  return new Refusal(429, `Too Many Requests: retry after ${seconds}`, seconds);
}

export function blocked(): Refusal {
  return new Refusal(403, 'Forbidden: bot was blocked by the user');
}
