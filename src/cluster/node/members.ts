/**
 * The node among the others of its cluster: its row, which it renews every second, and the operators' calls that any
 * node answers.
 */
import type { Logger } from 'pino';
import type { Origin } from '../../engine/origin.ts';
import type { Leader } from '../../http/errors.ts';
import {
  type ClusterMember,
  type ClusterServices,
  type ClusterStatus,
  ClusterTroubleError,
  type TrimmedLog,
} from '../../http/operator/node/cluster-services.ts';
import { ThreadEndedError } from '../../threads/worker-link.ts';
import { ClusterError } from '../cluster-error.ts';
import type { NodeTable } from '../node-table.ts';
import type { Trims } from '../trims.ts';

const RENEW_MS = 1_000;
/** The reason of an end, for the log. */
export const ANOTHER_WANTED = 'an operator wants another node to lead';
const NOBODY_LEADS = 'No node leads now: another one takes over within seconds by itself.';
const NOBODY_FOLLOWS =
  'No other node was there in the last seconds, so nobody would take over: start one first.';

export interface ClusterMembersOptions {
  readonly itself: Leader;
  readonly nodes: NodeTable;
  readonly trims: Pick<Trims, 'trim'>;
  readonly log: Logger;
  readonly status: () => ClusterStatus;
  readonly isLeading: () => boolean;
  /** An operator wants this node, which leads, to end that. */
  readonly onAsked: (origin: Origin) => void;
}

export class ClusterMembers implements ClusterServices {
  readonly #options: ClusterMembersOptions;
  #timer: NodeJS.Timeout | undefined;
  #isRenewing = false;
  /** An error of the program was told, and the row wasn't renewed since. */
  #isFaulty = false;

  constructor(options: ClusterMembersOptions) {
    this.#options = options;
  }

  start(): void {
    this.#renew();
    this.#timer = setInterval(() => this.#renew(), RENEW_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get status(): ClusterStatus {
    return this.#options.status();
  }

  get isLeading(): boolean {
    return this.#options.isLeading();
  }

  async members(): Promise<readonly ClusterMember[]> {
    return await this.#options.nodes.list().catch(asTrouble);
  }

  async trim(): Promise<TrimmedLog | undefined> {
    return await this.#options.trims.trim().catch(asTrouble);
  }

  async handOver(origin: Origin): Promise<string | undefined> {
    const { nodes, log, itself, onAsked } = this.#options;
    const { leader, term } = this.status;
    if (leader === null) return NOBODY_LEADS;
    const members = await nodes.list().catch(asTrouble);
    if (!members.some(({ node, isFresh }) => isFresh && node !== leader.node)) return NOBODY_FOLLOWS;
    const { operatorId, reason } = origin;
    log.info({ leader: leader.node, term, operatorId, reason }, ANOTHER_WANTED);
    if (leader.node !== itself.node) await nodes.askToEnd(leader.node, { term, origin }).catch(asTrouble);
    // After the answer.
    else setImmediate(onAsked, origin);
    return undefined;
  }

  #renew(): void {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    const { nodes, itself, log, onAsked } = this.#options;
    const { applied, term } = this.status;
    nodes
      .renew({ ...itself, applied })
      .then((asked) => {
        if (this.status.role === 'leader' && asked.term === term) onAsked(asked.origin);
      })
      .then(() => {
        this.#isFaulty = false;
      })
      .catch((error: unknown) => {
        // What the log is in trouble with, others tell.
        if (isTrouble(error) || this.#isFaulty) return;
        this.#isFaulty = true;
        log.error({ err: error }, "this node's row among the nodes could not be renewed");
      })
      .finally(() => {
        this.#isRenewing = false;
      });
  }
}

/** The errors that the log and the thread of a trim may give; anything else is an error of the program. */
function isTrouble(error: unknown): error is Error {
  if (error instanceof ClusterError) return error.reason !== 'lost';
  return error instanceof ThreadEndedError;
}

function asTrouble(error: unknown): never {
  throw isTrouble(error) ? new ClusterTroubleError(error.message, { cause: error }) : error;
}
