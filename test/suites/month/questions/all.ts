/** Every question of the month, in the order in which they are asked: the audit last, for some of them are deeds. */
import type { Month } from '../month.ts';
import * as audit from './audit.ts';
import * as cli from './cli.ts';
import * as items from './items.ts';
import * as lots from './lots.ts';
import * as orders from './orders.ts';
import * as refunds from './refunds.ts';
import * as report from './report.ts';
import * as roles from './roles.ts';
import * as statements from './statements.ts';
import * as timelines from './timelines.ts';

export interface Question {
  readonly title: string;
  readonly ask: (month: Month) => Promise<void>;
}

export const QUESTIONS: readonly Question[] = [
  { title: 'orders of an account, a product, a status', ask: orders.byAccountProductAndStatus },
  { title: 'orders of a day, a month, a moment', ask: orders.byDate },
  { title: 'orders for a recipient', ask: orders.byRecipient },
  { title: 'the order of a key, and of a request', ask: orders.byKeyAndRequest },
  { title: 'orders by several filters at once', ask: orders.byAllTogether },
  { title: 'one order, with and without its texts', ask: orders.byId },
  { title: 'who got a text, whatever became of it', ask: items.everyStateOfText },
  { title: 'who got a text that was replaced', ask: items.replacedTexts },
  { title: 'a text that nobody had', ask: items.textsNobodyHad },
  { title: 'the lots of each product', ask: lots.lotsOfEachProduct },
  { title: 'one lot', ask: lots.oneLot },
  { title: 'whom recalled lots were sold to', ask: lots.whomRecalledLotsWereSoldTo },
  { title: 'recalled texts stay out', ask: lots.recalledTextsStayOut },
  { title: 'what happened to an order', ask: timelines.timelinesOfEachKind },
  { title: 'refunds in part and their sums', ask: refunds.sumsOfParts },
  { title: 'a refund that is repeated', ask: refunds.retriesPayNothing },
  { title: 'refunds that are refused', ask: refunds.whatIsRefused },
  { title: 'credits that are repeated', ask: refunds.creditsAreSaidToBeRepeated },
  { title: 'statements of any period', ask: statements.movementsProveBalances },
  { title: 'every account closes the month', ask: statements.everyAccountClosesTheMonth },
  { title: 'a statement as JSON, again', ask: statements.jsonIsTheSameForEver },
  { title: 'a statement as CSV', ask: statements.csvHasAllMovements },
  { title: 'a statement as CSV, again after its month and a kill', ask: statements.csvIsTheSameForEver },
  { title: 'the money of any period', ask: report.equationOfEachPeriod },
  { title: 'the money of all time', ask: report.allTimeIsTheLedgerOfTheNode },
  { title: 'who works here', ask: roles.whoWorksHere },
  { title: 'who may not', ask: roles.thoseWhoMayNot },
  { title: 'questions that mean nothing', ask: roles.whatMeansNothing },
  { title: 'purser statement', ask: cli.statementAsCsv },
  { title: 'purser report', ask: cli.reportOfTheMonth },
  { title: 'purser order list', ask: cli.ordersOfAnAccount },
  { title: 'purser item find', ask: cli.whoGotThisCode },
  { title: 'who did what, by operator', ask: audit.byOperator },
  { title: 'who did what, by account', ask: audit.byAccount },
  { title: 'who did what, by date', ask: audit.byDate },
];
