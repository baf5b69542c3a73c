/**
 * The form of a product. Typed fields stay, whatever happens elsewhere; all other fields follow the node, until
 * somebody types: then he edits the state that he has seen, and the node refuses a save over another one.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../../parts/announcer.tsx';
import { CommandLine } from '../../parts/command-line.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { reason as reasonField } from '../../parts/forms/field.tsx';
import { FieldControl } from '../../parts/forms/field-control.tsx';
import { askNow } from '../../shell/pulse.ts';
import { ProductConflict } from './product-conflict.tsx';
import { type Draft, type DraftField, type Edits, edited, updateCommand } from './product-draft.ts';
import { useProductFields } from './product-fields.ts';
import { type LoadedProduct, saveProduct } from './product-loaded.ts';
import { TierRows } from './product-tiers.tsx';

interface FormProps {
  readonly live: LoadedProduct;
  readonly onSaved: (saved: LoadedProduct) => void;
  /** For the preview. */
  readonly onDraft: (draft: Draft) => void;
}

const REASON = reasonField();

export function ProductForm({ live, onSaved, onDraft }: FormProps) {
  const form = useEditing(live, onSaved);
  const { base, edits, draft, isSaving, failure } = form;
  const fields = useProductFields(base.product.supplierId);
  useEffect(() => onDraft(draft), [JSON.stringify(draft)]);
  const isChanged = Object.keys(edits).length > 0;
  const isBehind = isChanged && base.etag !== live.etag;
  return (
    <section class="panel" aria-labelledby="edit">
      <header>
        <h2 id="edit">Edit</h2>
      </header>
      <form onSubmit={form.submit} class="product-form" aria-busy={isSaving}>
        {fields.map(([name, field]) => (
          <FieldControl
            key={name}
            field={field}
            value={draft[name]}
            isDisabled={isSaving}
            onText={(text) => form.edit(name, text)}
            onFile={() => undefined}
          />
        ))}
        <TierRows text={draft.tiers} isDisabled={isSaving} onText={(text) => form.edit('tiers', text)} />
        {isChanged && (
          <div class="unsaved">
            <FieldControl
              field={REASON}
              value={form.reason}
              isDisabled={isSaving}
              onText={form.setReason}
              onFile={() => undefined}
            />
            {isBehind && (
              <p class="notice is-waiting">
                Somebody has changed this product since you began. Save shows both versions.
              </p>
            )}
            <CommandLine text={updateCommand(base.product.productId, base.draft, edits, form.reason)} />
          </div>
        )}
        {failure !== undefined && form.theirs === undefined && <ErrorNotice failure={failure} />}
        <div class="buttons">
          <button type="button" disabled={!isChanged || isSaving} onClick={form.discard}>
            Discard changes
          </button>
          <button type="submit" class="primary" disabled={!isChanged || isSaving}>
            Save
          </button>
        </div>
      </form>
      {form.theirs !== undefined && (
        <ProductConflict
          // Changed again while it was shown: the choice begins again.
          key={form.theirs.etag}
          base={base.draft}
          edits={edits}
          theirs={form.theirs}
          reason={form.reason}
          isSaving={isSaving}
          failure={failure}
          onChoose={form.choose}
          onClose={form.closeConflict}
        />
      )}
    </section>
  );
}

interface Editing {
  /** The product that the edits were begun from. */
  readonly base: LoadedProduct;
  readonly edits: Edits;
}

function useEditing(live: LoadedProduct, onSaved: (saved: LoadedProduct) => void) {
  const [held, setHeld] = useState<Editing>();
  const [reason, setReason] = useState('');
  const [isSaving, setSaving] = useState(false);
  const [failure, setFailure] = useState<unknown>(undefined);
  const [theirs, setTheirs] = useState<LoadedProduct>();
  const isUnderWay = useRef(false);
  const { base, edits } = held ?? { base: live, edits: {} };
  const discard = () => {
    setHeld(undefined);
    setReason('');
    setFailure(undefined);
    setTheirs(undefined);
  };
  const done = (saved: LoadedProduct, said: string) => {
    discard();
    onSaved(saved);
    announce(said);
    void askNow();
  };
  const save = async ({ base: from, edits: changed }: Editing) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setSaving(true);
    setFailure(undefined);
    try {
      const result = await saveProduct(from, changed, reason === '' ? undefined : reason);
      if ('saved' in result) done(result.saved, 'The product is saved.');
      // As when the answer to the first try got lost.
      else if (hasAll(result.changedTo.draft, changed)) done(result.changedTo, 'The product is saved.');
      else setTheirs(result.changedTo);
    } catch (error) {
      setFailure(error);
    } finally {
      isUnderWay.current = false;
      setSaving(false);
    }
  };
  return {
    ...{ base, edits, reason, setReason, isSaving, failure, theirs, discard },
    draft: { ...base.draft, ...edits } as Draft,
    edit: (field: DraftField, text: string) =>
      setHeld((before) => {
        const from = before ?? { base: live, edits: {} };
        const next = edited(from.base.draft, from.edits, field, text);
        return Object.keys(next).length === 0 ? undefined : { base: from.base, edits: next };
      }),
    submit: (event: Event) => {
      event.preventDefault();
      void save({ base, edits });
    },
    /** Out of both versions: what is kept of one's own, over theirs. */
    choose: (kept: Edits) => {
      if (theirs === undefined) return;
      if (Object.keys(kept).length === 0) done(theirs, 'The product stays as it is now.');
      else void save({ base: theirs, edits: kept });
    },
    closeConflict: () => setTheirs(undefined),
  };
}

function hasAll(draft: Draft, edits: Edits): boolean {
  return Object.entries(edits).every(([field, text]) => draft[field as DraftField] === text);
}
