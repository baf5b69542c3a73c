/**
 * Four figures of now, each with its last hour: sales, pace, how long answers take, and what was refused.
 *
 * A minute that goes on counts with what it has had so far, never with what it would have at that pace: so no minute of a
 * chart is above the sum beside it.
 */
import type { ComponentChildren } from 'preact';
import type { AnswerOf, Schema } from '../../api/call-types.ts';
import { Fact, Facts } from '../../parts/facts.tsx';
import { counted, Money, usdt } from '../../parts/money.tsx';
import { Panel } from '../../parts/panel.tsx';
import { SparkChart } from '../../parts/spark-chart.tsx';
import { spanOf } from '../../parts/time.tsx';

type Overview = AnswerOf<'GET /overview'>;
type Minute = Schema<'OverviewMinute'>;

/** The minutes of an hour, and the one that goes on, which is the last. */
const MINUTES = 61;
const MINUTE_SECONDS = 60;

interface Props {
  readonly overview: Overview;
  readonly status: Pick<AnswerOf<'GET /status'>, 'orders' | 'ledger'>;
}

export function FigurePanels(props: Props) {
  const { minutes } = props.overview;
  return (
    <div class="panels figures">
      <SalesPanel {...props} />
      <PacePanel overview={props.overview} />
      <DurationPanel overview={props.overview} />
      <RefusalPanel overview={props.overview} hourCount={sum(minutes, ({ refusals }) => refusals)} />
    </div>
  );
}

/** In USDT for whom the node tells them in USDT, else in orders. */
function SalesPanel({ overview: { minutes, sold }, status: { orders: ever, ledger } }: Props) {
  const orders = sum(minutes, (minute) => minute.orders);
  const inMoney = sold.usdt !== undefined;
  return (
    <FigurePanel
      title="Sales"
      figure={inMoney ? <Money amount={sum(minutes, (minute) => minute.usdt ?? 0)} /> : counted(orders)}
      unit={inMoney ? 'USDT' : 'orders'}
      when={whenOf(minutes)}
      chart={inMoney ? 'USDT a minute' : 'Orders a minute'}
      figures={hourOf(minutes, (minute) => (inMoney ? minute.usdt : minute.orders))}
      write={inMoney ? usdt : counted}
    >
      <Facts>
        {inMoney && (
          <>
            <Fact name="Orders" is={counted(orders)} />
            <Fact name="USDT since the start" is={<Money amount={sold.usdt ?? 0} />} />
          </>
        )}
        <Fact
          name="USDT, all time, less refunds"
          is={ledger !== undefined && <Money amount={ledger.revenueUsdt} />}
        />
        <Fact name="Orders, all time" is={counted(ever)} />
      </Facts>
    </FigurePanel>
  );
}

function PacePanel({ overview: { minutes, purchases } }: { readonly overview: Overview }) {
  const pace = hourOf(minutes, ({ orders, seconds }) => orders / Math.max(seconds, MINUTE_SECONDS));
  return (
    <FigurePanel
      title="Purchases"
      figure={paceText(purchases.perSecond)}
      unit="a second"
      when="now"
      chart="Purchases a second"
      figures={pace}
      write={paceText}
    >
      <Facts>
        <Fact name="Best minute">{paceText(most(pace))} a second</Fact>
      </Facts>
    </FigurePanel>
  );
}

function DurationPanel({ overview: { minutes, purchases } }: { readonly overview: Overview }) {
  const { p50Ms, p99Ms } = purchases;
  const durations = hourOf(minutes, (minute) => minute.p99Ms ?? undefined);
  return (
    <FigurePanel
      title="Answers"
      figure={msText(p99Ms)}
      unit="p99"
      when="last minute"
      chart="p99 of purchases"
      figures={durations}
      write={msText}
    >
      <Facts>
        <Fact name="p50" is={msText(p50Ms)} />
        <Fact name="p99" is={msText(p99Ms)} />
      </Facts>
    </FigurePanel>
  );
}

function RefusalPanel(props: { readonly overview: Overview; readonly hourCount: number }) {
  const { minutes, refusals } = props.overview;
  const byHour = refusals.toSorted((a, b) => b.lastHour - a.lastHour || b.count - a.count);
  return (
    <FigurePanel
      title="Refusals"
      figure={counted(props.hourCount)}
      when={whenOf(minutes)}
      chart="Refusals a minute"
      figures={hourOf(minutes, ({ refusals: count }) => count)}
      write={counted}
    >
      {byHour.length === 0 && <p class="hint">Nobody was refused since the start.</p>}
      <Facts>
        {byHour.map(({ error, count, lastHour }) => (
          <Fact
            key={error}
            name={<code>{error}</code>}
            is={<span title={`${counted(count)} since the start`}>{counted(lastHour)}</span>}
          />
        ))}
      </Facts>
    </FigurePanel>
  );
}

interface FigurePanelProps {
  readonly title: string;
  readonly figure: ComponentChildren;
  readonly unit?: string;
  /** The time that the figure is of. */
  readonly when: string;
  /** The content of the chart. */
  readonly chart: string;
  readonly figures: readonly (number | undefined)[];
  readonly write: (value: number) => string;
  /** Further figures. */
  readonly children: ComponentChildren;
}

function FigurePanel(props: FigurePanelProps) {
  const { title, figure, unit, when, chart, figures, write, children } = props;
  const known = figures.filter((value) => value !== undefined);
  const top = write(most(figures));
  const words = `${chart} in the last hour, by minutes: ${write(known.at(-1) ?? 0)} in this one so far, ${top} at most`;
  return (
    <Panel title={title} beside={<span class="hint more">{when}</span>}>
      <p class="figure">
        {figure} {unit !== undefined && <small>{unit}</small>}
      </p>
      <figure>
        <SparkChart label={words} figures={figures} least={Number.MIN_VALUE} isLastOpen />
        <figcaption class="axis" aria-hidden="true">
          <span>1 h ago</span>
          {known.length > 0 && <span>{`at most ${top}`}</span>}
          <span>now, so far</span>
        </figcaption>
      </figure>
      {children}
    </Panel>
  );
}

/** A figure for each minute; undefined where the node did not run, or had nothing to measure. */
function hourOf(
  minutes: readonly Minute[],
  figureOf: (minute: Minute) => number | undefined,
): readonly (number | undefined)[] {
  const known = minutes.map(figureOf);
  return [...Array.from<undefined>({ length: MINUTES - known.length }), ...known];
}

/** The time that the node has figures of: the last hour, which begins anew with each start. */
function whenOf(minutes: readonly Minute[]): string {
  const first = minutes[0];
  const last = minutes.at(-1);
  if (first === undefined || last === undefined || minutes.length === MINUTES) return 'last hour';
  return `since the start, ${spanOf(last.at + last.seconds * 1_000 - first.at)} ago`;
}

function sum(minutes: readonly Minute[], figureOf: (minute: Minute) => number): number {
  return minutes.reduce((total, minute) => total + figureOf(minute), 0);
}

function most(figures: readonly (number | undefined)[]): number {
  return Math.max(0, ...figures.map((figure) => figure ?? 0));
}

function paceText(perSecond: number): string {
  if (perSecond >= 100) return counted(Math.round(perSecond));
  // Of a few a minute, the first decimal alone would be none.
  return perSecond.toFixed(perSecond > 0 && perSecond < 1 ? 2 : 1);
}

/** Null: nobody bought. */
function msText(ms: number | null): string {
  if (ms === null) return '–';
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${ms >= 10 ? Math.round(ms) : ms.toFixed(1)} ms`;
}
