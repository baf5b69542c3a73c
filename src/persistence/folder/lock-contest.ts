/**
 * How one of several contenders gets a folder, as steps on names: `folder-lock.ts` takes them with real sockets, and
 * `test/suites/crash/persistence/lock-contest.test.ts` in every order, with a crash after every step.
 *
 * Each contender listens under a name of its own, which nobody ever uses again. So a name that refuses connections is
 * dead for ever, and anybody may remove it at any time. Each shows its name first and looks at the others' afterwards,
 * so that of two at least one sees the other. A contender that sees no other alive holds the folder. When two see each
 * other, the one that comes later in the order of names takes its name back, and returns with a new one.
 *
 * Rejected: one name for all, because what was found dead may be another's and alive by the time it is removed.
 */

/**
 * The steps of a contender. Each call is one step for the others, except `listen` (bound first, listening then) and
 * `withdraw` (a step for each name, then the socket).
 */
export interface LockNames {
  /** A name that was never used before. From now on it is one's own. */
  newName(): string;
  /** Binds a socket to the name and listens. */
  listen(name: string): Promise<void>;
  /** False when `from` isn't there any more. */
  rename(from: string, to: string): Promise<boolean>;
  /** Gives the socket a second name. */
  link(from: string, to: string): Promise<void>;
  /** Every name there is, of all contenders. */
  list(): Promise<readonly string[]>;
  isAlive(name: string): Promise<boolean>;
  /** Harmless when it isn't there. */
  remove(name: string): Promise<void>;
  /** Removes one's own names, then closes the socket. */
  withdraw(): Promise<void>;
  /** Gives the others time. */
  pause(): Promise<void>;
}

/**
 * The end of the name of a socket that is bound, and perhaps not listening yet: it may look dead, and when it is
 * removed, its owner begins anew.
 */
export const UNBORN = '.new';
/** The second name of the holder: it will not give way, so nobody need wait for it. */
export const HELD = '.held';
const MAX_LOOKS = 100;

export type Contest =
  | { readonly kind: 'won' }
  /** `holder` is a name of who holds the folder. */
  | { readonly kind: 'lost'; readonly holder: string }
  /** Others were trying for as long. */
  | { readonly kind: 'undecided' };

/** Unless it is won, `withdraw` is left to the caller. */
export async function contend(names: LockNames): Promise<Contest> {
  let own: string | undefined;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    own ??= await show(names);
    const rivals = await livingRivals(names, own);
    if (rivals.length === 0) {
      await names.link(own, `${own}${HELD}`);
      return { kind: 'won' };
    }
    const holder = rivals.find((name) => name.endsWith(HELD));
    if (holder !== undefined) return { kind: 'lost', holder };
    const first = own;
    if (rivals.some((name) => name < first)) {
      await names.withdraw();
      own = undefined;
    }
    await names.pause();
  }
  return { kind: 'undecided' };
}

/** Again when somebody took the socket for dead before it listened. */
async function show(names: LockNames): Promise<string> {
  for (;;) {
    const name = names.newName();
    await names.listen(`${name}${UNBORN}`);
    if (await names.rename(`${name}${UNBORN}`, name)) return name;
    await names.withdraw();
  }
}

/** Removes what dead ones left behind. A contender that isn't shown yet will look later than now, and is no rival. */
async function livingRivals(names: LockNames, own: string): Promise<string[]> {
  const rivals: string[] = [];
  for (const name of await names.list()) {
    if (name.startsWith(own)) continue;
    if (!(await names.isAlive(name))) await names.remove(name);
    else if (!name.endsWith(UNBORN)) rivals.push(name);
  }
  return rivals;
}
