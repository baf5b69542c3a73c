/**
 * One window of load inside a load process: warm up, measure, drain.
 *
 * Invariant: an answer counts when it arrives while measuring, whenever it was asked for; every answer is kept for the
 * check, those of the warm-up too, because the money they moved was moved. Nothing is parsed, printed or sent to the
 * parent between the first request and the last answer but two short notices.
 */

import { Random } from '../../test/support/random.ts';
import { AnswerLog } from './answer-log.ts';
import { Lane, type LaneResult } from './lane.ts';
import { type LoadPlan, squadSize } from './plan.ts';
import { PurchaseRequests } from './purchase-request.ts';
import { Squad, type SquadWindow, type Unanswered } from './squad.ts';

/** Fewer than any listen backlog, so that connecting a thousand drops none. */
const connectAtOnce = 64;
const drainTimeoutMs = 60_000;

export interface WindowResult {
  readonly lanes: readonly LaneResult[];
  /** Begin of the measured time, Unix milliseconds. */
  readonly fromMs: number;
  readonly measuredMs: number;
  readonly unanswered: readonly Unanswered[];
  /** Processor time of this process while measuring. */
  readonly userCpuMs: number;
  readonly systemCpuMs: number;
}

interface WindowNotices {
  readonly onMeasuring: () => void;
  readonly onMeasured: () => void;
}

export class LoadWindow implements SquadWindow {
  readonly requests: PurchaseRequests;
  readonly answers: AnswerLog;
  readonly random: Random;
  measuring = false;
  /** When measuring began; 0 before. */
  fromMs = 0;

  readonly #plan: LoadPlan;
  readonly #notices: WindowNotices;
  readonly #lanes: readonly Lane[];
  readonly #squads: readonly Squad[];
  #taken = 0;
  #takeLimit: number;
  #answered = 0;
  /** The answer at which measuring begins, when requests are counted. */
  readonly #measureFromAnswer: number;
  #resting = 0;
  #lastAnswerMs = 0;
  #measuredMs = 0;
  #cpuFrom: NodeJS.CpuUsage = { user: 0, system: 0 };
  #cpu: NodeJS.CpuUsage = { user: 0, system: 0 };
  #settle: { resolve: () => void; reject: (error: Error) => void } | undefined;
  #failure: Error | undefined;

  constructor(plan: LoadPlan, notices: WindowNotices) {
    if (plan.span.kind === 'counted' && plan.lanes.length !== 1)
      throw new Error('counted windows have one lane');
    if (plan.lanes.some(({ mayBreak, perSecond }) => mayBreak === true && perSecond !== undefined))
      throw new Error('the connections of an open loop may not break');
    this.#plan = plan;
    this.#notices = notices;
    this.requests = new PurchaseRequests(plan);
    this.answers = new AnswerLog(plan.maxAnswerBytes);
    this.random = new Random(plan.seed);
    this.#lanes = plan.lanes.map((lane, index) => new Lane(lane, index));
    this.#squads = this.#lanes.flatMap((lane) =>
      Array.from(
        { length: Math.floor(lane.plan.connections / squadSize(lane.plan)) },
        () => new Squad(this, lane),
      ),
    );
    const { span } = plan;
    this.#takeLimit =
      span.kind === 'counted' ? span.warmupRequests + span.requests : Number.POSITIVE_INFINITY;
    this.#measureFromAnswer = span.kind === 'counted' ? span.warmupRequests : Number.POSITIVE_INFINITY;
  }

  async connect(): Promise<void> {
    for (let at = 0; at < this.#squads.length; at += connectAtOnce) {
      const group = this.#squads.slice(at, at + connectAtOnce);
      await Promise.all(group.map((squad) => squad.connect(this.#plan.host, this.#plan.port)));
    }
  }

  /** Resolves when every request that was sent has its answer, or lost its connection where that may be. */
  async run(): Promise<WindowResult> {
    const { span } = this.#plan;
    const timers: NodeJS.Timeout[] = [];
    const settled = new Promise<void>((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    if (span.kind === 'timed') {
      const totalMs = span.warmupMs + span.measureMs;
      timers.push(setTimeout(() => this.#startMeasuring(performance.now()), span.warmupMs));
      timers.push(setTimeout(() => this.#stopSending(), totalMs));
      timers.push(setTimeout(() => this.fail(new Error('answers are missing')), totalMs + drainTimeoutMs));
    } else if (span.warmupRequests === 0) {
      this.#startMeasuring(performance.now());
    }
    if (this.#failure !== undefined) throw this.#failure;
    for (const { pacer } of this.#lanes) pacer?.start(performance.now());
    for (const lane of this.#lanes) timers.push(...this.#start(lane));
    try {
      await settled;
    } finally {
      for (const timer of timers) clearTimeout(timer);
      for (const { pacer } of this.#lanes) pacer?.stop();
    }
    this.#takeLimit = 0;
    // It was counted, or every connection broke before its time.
    if (this.fromMs === 0) this.#startMeasuring(performance.now());
    if (this.measuring) this.#stopMeasuring(Math.max(this.#lastAnswerMs, this.fromMs));
    const fromMs = performance.timeOrigin + this.fromMs;
    return {
      lanes: this.#lanes.map((lane) => lane.result(fromMs)),
      fromMs,
      measuredMs: this.#measuredMs,
      unanswered: this.#squads.flatMap((squad) => squad.unanswered()),
      userCpuMs: this.#cpu.user / 1000,
      systemCpuMs: this.#cpu.system / 1000,
    };
  }

  /** Sends no more, before its time. */
  enough(): void {
    if (this.#takeLimit > 0) this.#stopSending();
  }

  close(): void {
    for (const squad of this.#squads) squad.close();
  }

  take(): number {
    if (this.#taken >= this.#takeLimit) return -1;
    this.#taken += 1;
    return this.#taken - 1;
  }

  answered(nowMs: number): void {
    this.#answered += 1;
    this.#lastAnswerMs = nowMs;
    if (this.#answered === this.#measureFromAnswer) this.#startMeasuring(nowMs);
  }

  rest(): void {
    this.#resting += 1;
    if (this.#resting === this.#squads.length) this.#settle?.resolve();
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#settle?.reject(error);
  }

  /** Returns what is still to begin. */
  #start(lane: Lane): NodeJS.Timeout[] {
    const squads = this.#squads.filter((squad) => squad.lane === lane);
    const { spreadMs } = lane.plan;
    if (spreadMs === undefined) {
      for (const squad of squads) squad.next(performance.now());
      return [];
    }
    return squads.flatMap((squad, index) => {
      const delayMs = (index * spreadMs) / squads.length;
      if (delayMs >= 1) return [setTimeout(() => squad.next(performance.now()), delayMs)];
      squad.next(performance.now());
      return [];
    });
  }

  #startMeasuring(nowMs: number): void {
    this.#cpuFrom = process.cpuUsage();
    this.fromMs = nowMs;
    this.measuring = true;
    this.#notices.onMeasuring();
  }

  #stopSending(): void {
    this.#takeLimit = 0;
    for (const { pacer } of this.#lanes) pacer?.finish();
    this.#stopMeasuring(performance.now());
  }

  #stopMeasuring(nowMs: number): void {
    this.measuring = false;
    this.#measuredMs = nowMs - this.fromMs;
    this.#cpu = process.cpuUsage(this.#cpuFrom);
    this.#notices.onMeasured();
  }
}
