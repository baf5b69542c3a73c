/**
 * One request as its route sees it, the buyers' and the operators': what was asked, and the ways to answer.
 *
 * Invariant: every JSON answer has the envelope of SPEC.md §1 and the request's id; an answer that tells of state
 * leaves once that state is durable; a route that throws after its body has come is answered with 500.
 */
import { API_ERRORS } from '../engine/api-errors.ts';
import type { Command, Results } from '../engine/decide/command.ts';
import { Rejection } from '../engine/decide/rejection.ts';
import type { Engine } from '../engine/loop/engine.ts';
import type { Origin } from '../engine/origin.ts';
import { requestNumberOf } from '../engine/request-number.ts';
import type { Fields } from '../views/operator-views.ts';
import { type ApiError, badRequest, INTERNAL_ERROR } from './errors.ts';
import {
  checkEncoding,
  isJsonContentType,
  type JsonBody,
  MAX_BODY_BYTES,
  type ParsedBody,
} from './json-body.ts';
import { type JsonParts, jsonParts } from './json-parts.ts';
import { errorJson, errorOfRejection, jsonHeaders } from './reply.ts';
import { nextSlice, type Slice, SlicedAnswer } from './sliced-answer.ts';
import type { ReplyHeaders } from './transport/reply-headers.ts';
import type { ReplyBody } from './transport/reply-stream.ts';
import type { EndedRequest, Exchange } from './transport/transport.ts';

/** The exchange without its replies: those go through the context. */
export type RequestSide = Omit<Exchange, 'reply' | 'replyStream'>;

export interface ContextServices {
  readonly engine: Engine;
  /** Told of what should not have happened; the request gets a 500. */
  readonly onFault: (error: unknown, request: EndedRequest) => void;
  /** Told of every other answer with a status from 500 on. */
  readonly onFailed: (error: ApiError, status: number, request: EndedRequest) => void;
  /**
   * The tasks under way that requests have started, which the end of the node waits for: their callers may be gone.
   */
  readonly underWay?: Set<Promise<void>> | undefined;
}

/** Resolves when none of the tasks is under way any more, nor one that they have begun. */
export async function allEnded(underWay: ReadonlySet<Promise<void>>): Promise<void> {
  while (underWay.size > 0) await Promise.all(underWay);
}

/** Answers a request of anybody. */
export type OpenHandler = (context: RequestContext) => void;

const UNSTORED = { ...INTERNAL_ERROR, cause: 'what was read could not be stored: the disk is full' };
const EMPTY_OBJECT = Buffer.from('{}');

/** The statuses of answers that aren't errors. An error leaves by `fail` alone, which for a buyer raises its alert. */
export type SuccessStatus = 200 | 201 | 202 | 206 | 304 | 308;

export class RequestContext<Request extends RequestSide = RequestSide> {
  readonly requestId: string;
  /** The `{id}` of the path; 0 when it has none. */
  readonly id: number;
  readonly #exchange: Exchange & Request;
  readonly #services: ContextServices;

  constructor(exchange: Exchange & Request, requestId: string, id: number, services: ContextServices) {
    this.requestId = requestId;
    this.id = id;
    this.#exchange = exchange;
    this.#services = services;
  }

  get requestNumber(): number {
    return requestNumberOf(this.requestId);
  }

  /** The origin of the facts that the request leads to. */
  get origin(): Origin {
    return { requestNumber: this.requestNumber };
  }

  get request(): Request {
    return this.#exchange;
  }

  reply(status: SuccessStatus, headers: ReplyHeaders, body: string | Uint8Array): void {
    this.write(status, headers, body);
  }

  replyStream(status: SuccessStatus, headers: ReplyHeaders, body: ReplyBody): void {
    this.#exchange.replyStream(status, headers, body);
  }

  /** `json` is the whole body, with `success` and `requestId` in it. */
  send(status: SuccessStatus, json: string, more?: ReplyHeaders): void {
    this.write(status, jsonHeaders(this.requestId, more), json);
  }

  /**
   * Sends a body that may be long, in parts: it leaves in slices, of which the first is made now. `onClose` is called
   * once, also when making the body throws, which this throws on.
   */
  sendInSlices(
    status: SuccessStatus,
    parts: JsonParts,
    more?: ReplyHeaders,
    onClose: () => void = () => {},
  ): void {
    let first: Slice | undefined;
    try {
      first = this.request.finished ? undefined : nextSlice(parts);
    } finally {
      if (first === undefined || first.isLast) onClose();
    }
    if (first === undefined) return;
    if (first.isLast) this.send(status, first.text, more);
    else {
      const body = new SlicedAnswer(first.text, parts, onClose);
      this.replyStream(status, jsonHeaders(this.requestId, more), body);
    }
  }

  /** `succeed` with fields that may be long; their lists may give their elements one by one. */
  succeedInSlices(status: SuccessStatus, fields: Fields, more?: ReplyHeaders): void {
    this.sendInSlices(status, jsonParts({ success: true, ...fields, requestId: this.requestId }), more);
  }

  succeed(status: SuccessStatus, fields: Fields, more?: ReplyHeaders): void {
    this.send(status, JSON.stringify({ success: true, ...fields, requestId: this.requestId }), more);
  }

  fail(error: ApiError, status: number = API_ERRORS[error.code].status): void {
    if (status >= 500 && !this.#exchange.finished) this.#services.onFailed(error, status, this.#exchange);
    this.#writeError(error, status);
  }

  /** Tells of an error that should not have happened, and answers `answer`. */
  fault(error: unknown, answer: ApiError = INTERNAL_ERROR): void {
    this.#services.onFault(error, this.#exchange);
    this.#writeError(answer, API_ERRORS[answer.code].status);
  }

  /** Calls `answer` once everything that it was read from is durable, or answers 500 when it can't be. */
  whenDurable(answer: () => void): void {
    this.#services.engine.whenDurable((durable) => {
      if (durable) answer();
      else this.fail(UNSTORED);
    });
  }

  succeedWhenDurable(status: SuccessStatus, fields: Fields, more?: ReplyHeaders): void {
    this.whenDurable(() => this.succeed(status, fields, more));
  }

  /** Answers with a refusal that tells of state, such as that something isn't there. */
  failWhenDurable(error: ApiError): void {
    this.whenDurable(() => this.fail(error));
  }

  /** Gives the command's result to `then`, or answers with its refusal. Both are durable, and may leave at once. */
  submit<C extends Command>(command: C, then: (result: Results[C['kind']]) => void): void {
    this.#services.engine.submit(command, (result) => this.handleResult(result, then), this.origin);
  }

  /** Gives the engine's result to `then`, or answers with its refusal. */
  handleResult<Result>(result: Result | Rejection, then: (result: Result) => void): void {
    try {
      if (result instanceof Rejection) this.fail(errorOfRejection(result));
      else then(result);
    } catch (error) {
      this.fault(error);
    }
  }

  /** Gives the validated body to `then`, or answers with what is wrong with it. */
  readJson<Body>(body: JsonBody<Body>, then: (body: Body) => void): void {
    const isJson = body.isUntyped === true || isJsonContentType(this.request.header('content-type'));
    const encodingError = checkEncoding(this.request.header('content-encoding'));
    this.request.readBody(body.maxBytes, (received) => {
      if (received === 'aborted') return;
      const isEmpty = body.isOptional === true && typeof received !== 'string' && received.length === 0;
      const typeError = isJson ? encodingError : badRequest('The Content-Type must be application/json.');
      const error = this.lateRefusal() ?? (isEmpty ? undefined : typeError);
      if (error !== undefined) return this.fail(error);
      if (typeof received === 'string' || received.length <= MAX_BODY_BYTES || !body.parseInSlices)
        return this.#take(body.parse(isEmpty ? EMPTY_OBJECT : received), then);
      const taken = body.parseInSlices(received).then(
        (parsed) => {
          const late = this.lateRefusal();
          if (late === undefined) this.#take(parsed, then);
          else this.fail(late);
        },
        (fault: unknown) => this.fault(fault),
      );
      this.keep(taken);
    });
  }

  /** Has the end of the node wait for this, and for what it begins. */
  keep(done: Promise<void>): void {
    const { underWay } = this.#services;
    underWay?.add(done);
    void done.finally(() => underWay?.delete(done));
  }

  #take<Body>(parsed: ParsedBody<Body>, then: (body: Body) => void): void {
    if ('error' in parsed) return this.fail(parsed.error);
    try {
      then(parsed.body);
    } catch (fault) {
      this.fault(fault);
    }
  }

  #writeError(error: ApiError, status: number): void {
    this.write(status, jsonHeaders(this.requestId, error.headers), errorJson(this.requestId, error));
  }

  /** Every answer but a streamed one goes through here. */
  protected write(status: number, headers: ReplyHeaders, body: string | Uint8Array): void {
    this.#exchange.reply(status, headers, body);
  }

  /** The refusal of a request that became forbidden while its body was on its way. */
  lateRefusal(): ApiError | undefined {
    return undefined;
  }
}
