/** A group of facts of which only the first ones are restored: the same facts, in a frame that ends earlier. */
import { ByteWriter } from '../persistence/codec/byte-writer.ts';
import { decodeFacts, encodeFrame, extentOf, readHead } from '../persistence/journal/journal-frame.ts';

const scratch = new ByteWriter();

/** Up to fact `through`, which it holds. The frame itself when that is its last one. Throws `DamagedDataError`. */
export function cutFrame(frame: Buffer, through: number): Buffer {
  if (extentOf(frame).last <= through) return frame;
  const head = readHead(frame);
  const facts = decodeFacts(frame, head).slice(0, through - head.firstSequence + 1);
  return encodeFrame(scratch, head.firstSequence, facts, head.previousHash);
}
