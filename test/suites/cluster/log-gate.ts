/**
 * A gate in the shared log: the next entry of a kind that follows new texts is under way, at its place, until the gate is
 * opened or the one who wrote the entry is cut off. So a leader can be killed at a step that takes a millisecond.
 *
 *     const gate = await LogGate.shut(rig, 'facts');
 *     await gate.reached();    // texts are confirmed, and the fact that names them is not
 *     await gate.breakOff();   // the entry is not there
 *     await gate.open();       // or: it is
 */
import { type EntryKind, KINDS } from '../../../src/cluster/shared-table.ts';
import { eventually } from '../../support/eventually.ts';
import type { PostgresRig } from '../../support/postgres-rig.ts';

const TEXTS = KINDS.indexOf('texts');
const IS_AT_GATE = `query LIKE 'INSERT INTO purser_log%' AND wait_event = 'PgSleep'`;

export class LogGate {
  readonly #rig: PostgresRig;
  readonly #primary: number;

  private constructor(rig: PostgresRig, primary: number) {
    this.#rig = rig;
    this.#primary = primary;
  }

  static async shut(rig: PostgresRig, kind: EntryKind): Promise<LogGate> {
    const gate = new LogGate(rig, await rig.primary());
    await gate.#ask(`
      CREATE TABLE purser_test_gate AS SELECT max(entry) AS newest FROM purser_log;
      CREATE FUNCTION purser_test_wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT FROM purser_log, purser_test_gate
          WHERE entry > newest AND entry < NEW.entry AND kind = ${TEXTS}) THEN
          WHILE EXISTS (SELECT FROM purser_test_gate) LOOP PERFORM pg_sleep(0.005); END LOOP;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER purser_test_gate AFTER INSERT ON purser_log FOR EACH ROW
        WHEN (NEW.kind = ${KINDS.indexOf(kind)}) EXECUTE FUNCTION purser_test_wait()`);
    return gate;
  }

  async reached(): Promise<void> {
    await eventually('an entry is at the gate', async () => {
      const [row] = await this.#ask(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE ${IS_AT_GATE}`,
      );
      return row?.waiting === 1;
    });
  }

  async breakOff(): Promise<void> {
    await this.#ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${IS_AT_GATE}`);
    await this.open();
  }

  async open(): Promise<void> {
    await this.#ask('DELETE FROM purser_test_gate');
    await this.#ask('DROP TRIGGER purser_test_gate ON purser_log');
    await this.#ask('DROP FUNCTION purser_test_wait; DROP TABLE purser_test_gate');
  }

  #ask(text: string): Promise<Record<string, unknown>[]> {
    return this.#rig.ask(this.#primary, text);
  }
}
