/**
 * The form of a product. Typed fields stay, whatever happens elsewhere; all other fields follow the node, until
 * somebody types: then he edits the state that he has seen, and the node refuses a save over another one. The form says
 * what has become of the product meanwhile; one goes on from there with what one typed, or discards it.
 *
 * A choice between both versions, field by field, was rejected: two seldom edit one product, and who does reads two lines.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../../parts/announcer.tsx';
import { CommandLine } from '../../parts/command-line.tsx';
import { ErrorNotice } from '../../parts/error-notice.tsx';
import { Fact, Facts } from '../../parts/facts.tsx';
import { reason as reasonField } from '../../parts/forms/field.tsx';
import { FieldControl } from '../../parts/forms/field-control.tsx';
import { refusedField } from '../../parts/forms/refused-field.ts';
import { Panel } from '../../parts/panel.tsx';
import { askNow } from '../../shell/pulse.ts';
import {
  changedFields,
  DRAFT_FIELDS,
  type Draft,
  type DraftField,
  type Edits,
  edited,
  updateCommand,
  wordsOf,
} from './product-draft.ts';
import { useProductFields } from './product-fields.ts';
import { type LoadedProduct, saveProduct } from './product-loaded.ts';

interface FormProps {
  readonly live: LoadedProduct;
  readonly onSaved: (saved: LoadedProduct) => void;
}

const REASON = reasonField();

export function ProductForm({ live, onSaved }: FormProps) {
  const form = useEditing(live, onSaved);
  const { base, edits, draft, isSaving, failure } = form;
  const fields = useProductFields(base.product.sources);
  const isChanged = Object.keys(edits).length > 0;
  const refused = isChanged ? refusedField(failure, Object.fromEntries(fields)) : undefined;
  const isBehind = isChanged && base.etag !== live.etag;
  return (
    <Panel title="Edit">
      <form onSubmit={form.submit} class="product-form" aria-busy={isSaving}>
        {fields.map(([name, field]) => (
          <FieldControl
            key={name}
            field={field}
            value={draft[name]}
            refusal={refused?.key === name ? refused.message : undefined}
            isDisabled={isSaving}
            onText={(text) => form.edit(name, text)}
          />
        ))}
        {isChanged && (
          <div class="unsaved">
            <FieldControl field={REASON} value={form.reason} isDisabled={isSaving} onText={form.setReason} />
            {isBehind && <Meanwhile was={base.draft} is={live.draft} onGoOn={form.goOn} />}
            <CommandLine text={updateCommand(base.product.productId, edits, form.reason)} />
          </div>
        )}
        {isChanged && failure !== undefined && refused === undefined && <ErrorNotice failure={failure} />}
        <div class="buttons">
          <button type="button" disabled={!isChanged || isSaving} onClick={form.discard}>
            Discard changes
          </button>
          <button type="submit" class="primary" disabled={!isChanged || isSaving}>
            Save
          </button>
        </div>
      </form>
    </Panel>
  );
}

interface MeanwhileProps {
  readonly was: Draft;
  readonly is: Draft;
  readonly onGoOn: () => void;
}

/** The changes that somebody else has saved since one began to type. */
function Meanwhile({ was, is, onGoOn }: MeanwhileProps) {
  return (
    <div class="notice is-waiting unsaved-behind">
      <p>
        Somebody has changed this product since you began. Nothing of yours is saved yet, and nothing lost.
      </p>
      <Facts>
        {changedFields(was, is).map((field) => (
          <Fact
            key={field}
            name={DRAFT_FIELDS[field]}
            is={is[field] === '' ? 'is empty now' : wordsOf(field, is[field])}
          />
        ))}
      </Facts>
      <button type="button" class="small" onClick={onGoOn}>
        Go on with mine
      </button>
    </div>
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
  const isUnderWay = useRef(false);
  const { base, edits } = held ?? { base: live, edits: {} };
  const discard = () => {
    setHeld(undefined);
    setReason('');
    setFailure(undefined);
  };
  // Nothing is left to save: as when the answer to a save got lost.
  useEffect(() => {
    if (held !== undefined && Object.keys(over(live, held.edits)).length === 0) discard();
  }, [live.etag]);
  const save = async ({ base: from, edits: changed }: Editing) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setSaving(true);
    setFailure(undefined);
    try {
      onSaved(await saveProduct(from, changed, reason === '' ? undefined : reason));
      discard();
      announce('The product is saved.');
    } catch (error) {
      setFailure(error);
    } finally {
      isUnderWay.current = false;
      setSaving(false);
      void askNow();
    }
  };
  return {
    ...{ base, edits, reason, setReason, isSaving, failure, discard },
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
    /** What one typed, over what is there by now. */
    goOn: () => {
      setHeld({ base: live, edits: over(live, edits) });
      setFailure(undefined);
    },
  };
}

/** The edits that say something else than what is there. */
function over({ draft }: LoadedProduct, edits: Edits): Edits {
  return Object.fromEntries(
    Object.entries(edits).filter(([field, text]) => draft[field as DraftField] !== text),
  );
}
