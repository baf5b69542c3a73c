/**
 * A backup's target in memory, and what goes wrong with targets: calls that fail before or after they have done their
 * work, objects that are stored or read wrongly, and calls that never end before they are given up.
 */
import {
  type BackupTarget,
  type CallOptions,
  TargetError,
  type TargetObject,
} from '../../../src/backup/target/backup-target.ts';

export type TargetCall = 'create' | 'read' | 'list' | 'remove';

/**
 * `before`: fails, and nothing was done. `after`: it was done, and the answer is lost. `cut`: half of it is stored, or
 * read. `wrong`: other bytes are stored, or read. `lie`: it says yes, and does nothing. `hang`: until it is given up.
 */
export type TargetFailure = 'before' | 'after' | 'cut' | 'wrong' | 'lie' | 'hang' | 'full' | 'refused';

export class MemoryTarget implements BackupTarget {
  readonly url = 'memory';
  readonly holdsThread = false;
  readonly objects: Map<string, Buffer>;
  /** Asked before each call; undefined when it works. */
  fault: (call: TargetCall, name: string) => TargetFailure | undefined = () => undefined;

  /** Two targets with the same objects are two connections to one store. */
  constructor(objects = new Map<string, Buffer>()) {
    this.objects = objects;
  }

  async create(name: string, bytes: Uint8Array, options: CallOptions = {}): Promise<boolean> {
    const failure = await this.#begin('create', name, options);
    if (this.objects.has(name)) return false;
    if (failure === 'lie') return true;
    this.objects.set(name, spoilt(Buffer.from(bytes), failure, 1));
    if (failure === 'after') throw away();
    return true;
  }

  async read(name: string, options: CallOptions = {}): Promise<Buffer | undefined> {
    const failure = await this.#begin('read', name, options);
    const found = this.objects.get(name);
    if (failure === 'after') throw away();
    if (failure === 'lie') return undefined;
    return found && spoilt(Buffer.from(found), failure, 2);
  }

  async *list(
    prefix: string,
    options: CallOptions & { readonly after?: string } = {},
  ): AsyncIterable<TargetObject> {
    const failure = await this.#begin('list', prefix, options);
    if (failure === 'after') throw away();
    const { after = '' } = options;
    for (const name of [...this.objects.keys()].sort()) {
      if (!name.startsWith(prefix) || name <= after) continue;
      yield { name, sizeBytes: this.objects.get(name)?.length ?? 0 };
    }
  }

  async remove(name: string, options: CallOptions = {}): Promise<void> {
    const failure = await this.#begin('remove', name, options);
    if (failure !== 'lie') this.objects.delete(name);
    if (failure === 'after') throw away();
  }

  async close(): Promise<void> {}

  async #begin(call: TargetCall, name: string, { signal }: CallOptions): Promise<TargetFailure | undefined> {
    await new Promise(setImmediate);
    if (signal?.aborted === true) throw away();
    const failure = this.fault(call, name);
    if (failure === 'before') throw away();
    if (failure === 'full') throw new TargetError('full', 'memory: no room');
    if (failure === 'refused') throw new TargetError('refused', 'memory: wrong keys');
    if (failure === 'hang') {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
      throw away();
    }
    return failure;
  }
}

/** `fromEnd`: the byte that is wrong; two wrongs must not make a right. */
function spoilt(bytes: Buffer, failure: TargetFailure | undefined, fromEnd: number): Buffer {
  if (failure === 'cut') return bytes.subarray(0, bytes.length >> 1);
  if (failure === 'wrong' && bytes.length >= fromEnd) {
    const at = bytes.length - fromEnd;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
  }
  return bytes;
}

function away(): TargetError {
  return new TargetError('unreachable', 'memory: no answer');
}
