/** The file that a product of type file delivers, and the action that sets another one. */
import { useState } from 'preact/hooks';
import { upload } from '../../api/upload.ts';
import { announce } from '../../parts/announcer.tsx';
import { purser } from '../../parts/command-line.tsx';
import { Action } from '../../parts/dialogs/action-dialog.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { file, reason, text } from '../../parts/forms/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { sizeText } from '../../parts/size.ts';
import { UploadProgress } from '../../parts/upload-progress.tsx';
import type { Product } from './product-draft.ts';

/** The media type that browsers give a file that they do not know. */
const UNKNOWN_TYPE = 'application/octet-stream';

export function FilePanel({ product }: { readonly product: Product }) {
  return (
    <Panel title="Delivered file" actions={<SetFile productId={product.productId} />}>
      {product.file === undefined ? (
        <p>It has no file yet, so buyers don't see it.</p>
      ) : (
        <Facts>
          <Fact name="Size" is={sizeText(product.file.sizeBytes)} />
          <Fact name="Content type" is={product.file.contentType} />
          <Fact name="SHA-256" is={product.file.sha256} class="mono" />
        </Facts>
      )}
    </Panel>
  );
}

function SetFile({ productId }: { readonly productId: number }) {
  const [progress, setProgress] = useState({ sentBytes: 0, totalBytes: 0 });
  return (
    <Action
      name="Set file"
      needs="PUT /products/{id}/file"
      look="small"
      about="Delivered from now on. Orders that bought an earlier file keep that one."
      isCancellable
      fields={{
        content: file({ label: 'File', hint: 'Up to 1 GiB.' }),
        contentType: text({
          label: 'Content type',
          isOptional: true,
          hint: 'What buyers get it as. Empty: what this browser takes it for.',
        }),
        reason: reason(),
      }}
      command={({ content, contentType, reason: why }) =>
        purser('product file', [productId, content.name === 'none' ? '' : content.name], {
          'content-type': typeOf(content, contentType),
          reason: why,
        })
      }
      underWay={<UploadProgress what="Upload" {...progress} />}
      run={({ content, contentType, reason: why }, { signal }) => {
        const onProgress = (sentBytes: number) =>
          setProgress({ sentBytes: Math.min(sentBytes, content.size), totalBytes: content.size });
        onProgress(0);
        return upload('PUT /products/{id}/file', {
          path: { id: productId },
          query: { reason: why },
          content,
          contentType: typeOf(content, contentType),
          signal,
          onProgress,
        });
      }}
      onDone={() => announce('The file is set.')}
    />
  );
}

function typeOf(content: File, given: string | undefined): string {
  return given ?? (content.type === '' ? UNKNOWN_TYPE : content.type);
}
