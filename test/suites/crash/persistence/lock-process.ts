/** A process of the model that wants the lock: the real code, run step by step against answers that were given. */
import { type Contest, HELD, type LockNames } from '../../../../src/persistence/folder/lock-contest.ts';

export interface Contenders {
  readonly contend: (names: LockNames) => Promise<Contest>;
  /** For each process the names that it takes one after the other, also when it is started anew: no more than these. */
  readonly names: readonly (readonly string[])[];
  /** Names of those that died before. */
  readonly leftBehind?: readonly string[];
}

/** A step that a process takes next. Until it takes `hold`, which ends its holding, it has the folder. */
export interface Step {
  readonly kind:
    | 'bind'
    | 'listen'
    | 'rename'
    | 'link'
    | 'list'
    | 'isAlive'
    | 'remove'
    | 'close'
    | 'hold'
    | 'end';
  readonly name: string;
  readonly to?: string;
}

export type Answer = boolean | readonly string[];

/** Equal ones are one object, which `id` tells from others. */
export interface Process {
  readonly id: number;
  readonly index: number;
  /** How many names it had before the present one. */
  readonly tries: number;
  readonly answers: readonly Answer[];
}

/** The socket of each name, called by the name that its process took, and which sockets listen. */
export interface Folder {
  readonly names: ReadonlyMap<string, string>;
  readonly listening: ReadonlySet<string>;
}

export interface State extends Folder {
  readonly processes: readonly Process[];
}

/** A process without the answers that it has no use for any more, and its next step. */
export interface Next {
  readonly step: Step;
  readonly process: Process;
}

type Begun = Pick<Process, 'tries' | 'answers'>;

/** Lets a process live up to the step that it has no answer for yet, or until it takes a name or looks once more. */
export function run(
  contend: Contenders['contend'],
  { tries, answers }: Process,
  own: string,
): Promise<Step | Begun> {
  return new Promise((resolve, reject) => {
    const untilThen = new Promise<never>(() => undefined);
    let used = 0;
    let usedBeforeLook: number | undefined;
    let isNamed = false;
    const call = <A extends Answer>(kind: Step['kind'], name: string, to = ''): Promise<A> => {
      const answer = answers[used];
      used += 1;
      if (answer !== undefined) return Promise.resolve(answer as A);
      resolve({ kind, name, to });
      return untilThen;
    };
    const names: LockNames = {
      newName() {
        if (isNamed) resolve({ tries: tries + 1, answers: [] });
        isNamed = true;
        return own;
      },
      async listen(name) {
        await call('bind', name);
        await call('listen', own);
      },
      rename: (from, to) => call('rename', from, to),
      link: async (from, to) => void (await call('link', from, to)),
      list() {
        const isAgain = usedBeforeLook !== undefined;
        if (isAgain) resolve({ tries, answers: answers.slice(0, usedBeforeLook) });
        usedBeforeLook = used;
        return call('list', own);
      },
      isAlive: (name) => call('isAlive', name),
      remove: async (name) => void (await call('remove', name)),
      async withdraw() {
        await call('remove', `${own}${HELD}`);
        await call('remove', own);
        await call('close', own);
      },
      pause: async () => undefined,
    };
    const live = async () => {
      if ((await contend(names)).kind === 'won') await call('hold', own);
      await names.withdraw();
      await call('end', own);
    };
    live().catch(reject);
  });
}

export function taken(
  folder: Folder,
  { kind, name, to = '' }: Step,
  own: string,
): { folder: Folder; answer: Answer } {
  const { listening } = folder;
  const names = new Map(folder.names);
  const socket = names.get(name);
  switch (kind) {
    case 'bind':
      return { folder: { names: names.set(name, own), listening }, answer: true };
    case 'listen':
      return { folder: { names, listening: new Set([...listening, name]) }, answer: true };
    case 'rename':
      if (socket === undefined) return { folder, answer: false };
      names.delete(name);
      return { folder: { names: names.set(to, socket), listening }, answer: true };
    case 'link':
      return { folder: { names: names.set(to, socket ?? ''), listening }, answer: true };
    case 'list':
      return { folder, answer: [...names.keys()].sort() };
    case 'isAlive':
      return { folder, answer: socket !== undefined && listening.has(socket) };
    case 'remove':
      names.delete(name);
      return { folder: { names, listening }, answer: true };
    case 'close':
      return { folder: closed(folder, own), answer: true };
    case 'hold':
    case 'end':
      return { folder, answer: true };
  }
}

export function closed({ names, listening }: Folder, socket: string): Folder {
  return { names, listening: new Set([...listening].filter((other) => other !== socket)) };
}

export function keyOf({ names, listening, processes }: State): string {
  const entries = Array.from(names, ([name, socket]) => `${name},${socket}`).sort();
  return [...entries, ...[...listening].sort(), ...processes.map(({ id }) => id)].join(' ');
}
