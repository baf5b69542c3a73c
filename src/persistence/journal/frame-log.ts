/**
 * The port of the log: frames of bytes, one behind the other. A frame is one group of facts (`journal-frame.ts`).
 *
 * Everything that is written to the log, and everybody who reads it (recovery, the fold, the outbox, the feed, `purser
 * verify`), goes through this port. The port knows bytes and positions and nothing of what facts mean, so that a log on
 * another machine holds the same bytes. The contract, which `test/persistence/journal/frame-log.test.ts` proves for every
 * implementation:
 *
 * - Frames are appended one at a time; each continues the one before. When `append` resolves, the frame survives a
 *   power cut, and every reader sees it. A reader sees nothing that a power cut could take back.
 * - When `append` rejects with `JournalFullError`, nothing of the frame was written, and the log can be used again. Any
 *   other rejection means that nobody knows what was written: the process must stop.
 * - Frames that were appended never change, and never go.
 */

/** A place between two frames: the sequence of the last fact before it, and the SHA-256 of the last frame. */
export interface LogHead {
  readonly position: number;
  readonly hash: Buffer;
}

const HASH_BYTES = 32;
/** Where every log begins. */
export const GENESIS: LogHead = { position: 0, hash: Buffer.alloc(HASH_BYTES) };

/** The reading side. Each thread has its own. */
export interface LogReader {
  /**
   * The frames behind fact `position`, oldest first: from the one that holds fact `position + 1`; where a file is
   * missing, from the next one that the log has. Ends where the log ends, or where frames are missing. Each frame's
   * bytes are valid until the next one is asked for.
   */
  read(position: number): IterableIterator<Buffer>;
  /** Lets go of what is open. Another `read` opens it again. */
  close(): Promise<void>;
}

/** The log as its one writer has it. */
export interface FrameLog extends LogReader {
  /** Where the log ends. */
  readonly head: LogHead;
  /** `frame` continues `head`. Its bytes must not change afterwards. */
  append(frame: Buffer): Promise<void>;
}

/**
 * The data folder's own log. A follower that is behind gives it many frames at a time, which were written elsewhere.
 */
export interface FolderLog extends FrameLog {
  /** The first frame continues `head`, and each other one the one before it. They are durable and seen together, or none is. */
  append(...frames: readonly Buffer[]): Promise<void>;
}
