/**
 * The same for each of many things, some of them at once: whoever asks one after the other mostly waits for the other
 * process to have its turn.
 */
const AT_ONCE = 4;

/** Rejects with the first error, once all that was begun has ended. */
export async function forEachAtOnce<T>(all: Iterable<T>, work: (one: T) => Promise<void>): Promise<void> {
  const rest = all[Symbol.iterator]();
  const errors: unknown[] = [];
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let next = rest.next(); next.done !== true && errors.length === 0; next = rest.next()) {
      await work(next.value).catch((error: unknown) => errors.push(error));
    }
  });
  await Promise.all(workers);
  if (errors.length > 0) throw errors[0];
}
