/**
 * One request of an operator as its route sees it: who calls, what the query says, and the ways to answer that operators'
 * routes have beside those of `RequestContext`.
 */
import type { Results } from '../../engine/decide/command.ts';
import type { KeyedCommand } from '../../engine/decide/keyed-calls.ts';
import { DISK_IS_FULL, Rejection } from '../../engine/decide/rejection.ts';
import type { Once } from '../../engine/loop/once.ts';
import type { OperatorAct } from '../../engine/operators.ts';
import type { CallKey, Origin } from '../../engine/origin.ts';
import type { Fields } from '../../views/operator-views.ts';
import { type ApiError, apiError, badRequest } from '../errors.ts';
import { keyFormError } from '../idempotency-key.ts';
import type { JsonBody } from '../json-body.ts';
import { errorOfRejection } from '../reply.ts';
import { type ContextServices, RequestContext, type RequestSide } from '../request-context.ts';
import type { ReplyHeaders } from '../transport/reply-headers.ts';
import type { StreamingExchange } from '../transport/transport.ts';
import type { BotGuard } from './bot-calls.ts';
import type { Caller } from './caller.ts';
import { type Period, parsePeriod } from './moment.ts';
import { type Page, parsePage } from './page.ts';
import { mayCall, type Roles } from './roles.ts';
import { uploadRefusal } from './stock/upload.ts';

/** The rejection of work whose refusal was answered already. */
const ANSWERED = new Error('the call was answered');
const NO_ROOM =
  'The disk of the data folder is full, so nothing can be stored, a sign-in neither; nothing was changed. Make room there, then try again: `df` and `purser status` need no sign-in.';
const TOKEN_ENDED = apiError(
  'UNAUTHORIZED',
  'Your token ended while the request was being sent, and nothing was changed.',
);

export class OperatorContext extends RequestContext<RequestSide & Pick<StreamingExchange, 'streamBody'>> {
  /** The `{name}` of the path; empty when it has none. */
  readonly name: string;
  readonly query: URLSearchParams;
  /** The key as it was sent; undefined when there is none. */
  readonly idempotencyKey: string | undefined;
  readonly #services: ContextServices;
  readonly #isStillIn: (caller: Caller) => boolean;
  /** The limits of a bot; undefined for other roles. */
  readonly guard: BotGuard | undefined;
  #caller: Caller;
  #call: { readonly key: string; readonly digest: () => string } | undefined;
  /** Why the operator does this, as far as it was said. */
  reason: string | undefined;

  constructor(
    exchange: StreamingExchange,
    requestId: string,
    { id, name }: { readonly id: number; readonly name: string },
    services: ContextServices,
    caller: Caller,
    isStillIn: (caller: Caller) => boolean,
    guard?: BotGuard,
  ) {
    super(exchange, requestId, id, services);
    this.#services = services;
    this.#isStillIn = isStillIn;
    this.guard = guard;
    // An empty one is no key that is missing: a script whose variable is empty would act twice.
    this.idempotencyKey = exchange.header('idempotency-key') ?? exchange.headerValues('idempotency-key')[0];
    this.name = name;
    this.query = new URLSearchParams(exchange.query);
    this.#caller = caller;
    this.reason = this.query.get('reason') ?? undefined;
  }

  /** The call, for a digest. */
  get called() {
    const { method, path } = this.request;
    return { method, path, query: this.query };
  }

  get caller(): Caller {
    return this.#caller;
  }

  /** Makes the request one of the operator who signs in with it. */
  actAs(caller: Caller): void {
    this.#caller = caller;
    this.request.operator = caller.name;
  }

  /** Whether the caller has one of these roles: for what an answer tells some of its readers only. */
  isFor(roles: Roles): boolean {
    return mayCall(this.#caller.role, roles);
  }

  /** Whether what the caller came with still counts. */
  get mayStill(): boolean {
    return this.#isStillIn(this.#caller);
  }

  override get origin(): Origin {
    const { requestNumber, reason } = this;
    const { operatorId } = this.caller;
    return reason === undefined ? { operatorId, requestNumber } : { operatorId, reason, requestNumber };
  }

  /**
   * Takes the call's `Idempotency-Key`, if it has one, for `submitOnce`, which asks for the `digest` of the call
   * (`call-digest.ts`). False when the key can be none, which is answered here.
   */
  takeKey(digest: () => string): boolean {
    const key = this.idempotencyKey;
    if (key === undefined) return true;
    const error = keyFormError(key);
    if (error === undefined) this.#call = { key, digest };
    else this.fail(error);
    return error === undefined;
  }

  /**
   * `submit` for a call that may be repeated. `said` is what the first answer says and the command's result doesn't; `done`
   * is called when it was answered, with a refusal, too.
   */
  submitOnce<C extends KeyedCommand>(
    command: C,
    then: (once: Once<Results[C['kind']]>) => void,
    said?: CallKey['said'],
    done?: () => void,
  ): void {
    const { origin } = this;
    const call = this.#call && { key: this.#call.key, digest: this.#call.digest(), ...(said && { said }) };
    this.#services.engine.submitOnce(
      command,
      (result) => {
        this.handleResult(result, then);
        done?.();
      },
      call === undefined ? origin : { ...origin, call },
    );
  }

  /** Answers a call that may be repeated. `shownOnce`: what is nowhere any more once it was answered. */
  succeedOnce(
    { isRepeated }: Once<unknown>,
    fields: Fields,
    shownOnce: Fields = {},
    more?: ReplyHeaders,
  ): void {
    if (isRepeated) this.succeed(200, { ...fields, repeated: true }, more);
    else this.succeed(201, { ...fields, ...shownOnce }, more);
  }

  /** `readJson` of a body that may have a `reason`. */
  readBody<Body extends { readonly reason?: string | undefined }>(
    body: JsonBody<Body>,
    then: (body: Omit<Body, 'reason'>) => void,
  ): void {
    this.readJson(body, ({ reason, ...fields }) => {
      const refusal = this.guard?.bodyRefusal(fields);
      if (refusal !== undefined) return this.fail(refusal);
      this.reason = reason;
      then(fields);
    });
  }

  /**
   * The refusal after a body, before it leads to anything: the operator's token may have ended while it was on its way.
   */
  override lateRefusal(): ApiError | undefined {
    return this.mayStill ? undefined : TOKEN_ENDED;
  }

  /**
   * Gives the result on, and tells operators of a full disk, which only they can mend; buyers aren't told the cause.
   */
  override handleResult<Result>(result: Result | Rejection, then: (result: Result) => void): void {
    super.handleResult(result instanceof Rejection ? withCause(result) : result, then);
  }

  /** Answers that a call stopped amid its work. `done`: a sentence about what stays. */
  failAmid(done: string, refusal: Rejection): void {
    const error = errorOfRejection(withCause(refusal));
    this.fail({ ...error, message: `${done} What came next was refused: ${error.message}` });
  }

  /**
   * Resolves once it is durable that this operator does this. For `run`: when it can't be, that is answered here, and `run`
   * ends without another answer.
   */
  record(act: OperatorAct): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#services.engine.submit(
        { kind: 'RecordAct', act },
        (result) => {
          this.handleResult(result, () => resolve());
          if (result instanceof Rejection) reject(ANSWERED);
        },
        this.origin,
      );
    });
  }

  /** Sees to an answer that takes time. */
  run(answer: () => Promise<void>): void {
    const done = answer().catch((error: unknown) => {
      if (error !== ANSWERED) this.fault(error);
    });
    this.keep(done);
  }

  /** Sees to the answer of an upload, whose failures have answers of their own. */
  runUpload(upload: Promise<void>): void {
    const done = upload.catch((error: unknown) => {
      const refusal = uploadRefusal(error);
      if (refusal === undefined) this.fault(error);
      else this.fail(refusal);
    });
    this.keep(done);
  }

  /** A field of the query that is true or false. Undefined after it has answered what is wrong. */
  flag(field: string, otherwise: boolean): boolean | undefined {
    const text = this.query.get(field) ?? String(otherwise);
    if (text === 'true' || text === 'false') return text === 'true';
    this.fail(badRequest(`${field} must be true or false, or left out.`));
    return undefined;
  }

  /** Gives the page that the query asks for to `then`, or answers with what is wrong with it. */
  withPage(then: (page: Page) => void, maxRows?: number): void {
    const page = parsePage(this.query, maxRows);
    if ('error' in page) this.fail(page.error);
    else then(page);
  }

  /** Gives period and page of a listing to `then`, or answers with what is wrong with them. */
  withPeriodPage(then: (period: Period, page: Page) => void, maxRows?: number): void {
    const period = parsePeriod(this.query);
    if ('error' in period) this.fail(period.error);
    else this.withPage((page) => then(period, page), maxRows);
  }
}

function withCause(refusal: Rejection): Rejection {
  const { code, cause } = refusal;
  return cause === DISK_IS_FULL ? new Rejection(code, NO_ROOM, null, false, cause) : refusal;
}
