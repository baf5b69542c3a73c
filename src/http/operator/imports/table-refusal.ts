/** A fault of a table as a whole, so that none of its lines is looked at. The message is a sentence. */
export class TableRefusal extends Error {
  override readonly name = 'TableRefusal';
}
