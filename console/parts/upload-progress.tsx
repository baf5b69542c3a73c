/** How much of an upload has left. When all has, the node is at work on it. */
import { sizeText } from './size.ts';

interface UploadProgressProps {
  /** The activity, such as `Checking`. */
  readonly what: string;
  readonly sentBytes: number;
  readonly totalBytes: number;
}

export function UploadProgress({ what, sentBytes, totalBytes }: UploadProgressProps) {
  const isSent = sentBytes >= totalBytes;
  return (
    <div class="upload-progress">
      <progress aria-label={what} max={Math.max(totalBytes, 1)} value={sentBytes} />
      <p>
        {isSent
          ? `${what}: all ${sizeText(totalBytes)} are sent; the node is reading them.`
          : `${what}: ${sizeText(sentBytes)} of ${sizeText(totalBytes)}`}
      </p>
    </div>
  );
}

export function WaitingForNode() {
  return (
    <p class="notice is-waiting" role="status">
      Waiting for the node. When it is back, this goes on.
    </p>
  );
}
