/**
 * Texts of the page that something else replaces, as translators do: what is drawn later would go into a text that is no
 * longer in the page, and an old figure would stay. So before anything is drawn, each text is put back where it was; what
 * stood there meanwhile goes. The page asks not to be translated (`index.html`), but not everybody listens.
 *
 * Rejected: to put texts back at once, which a translator that watches the page would answer, and so on for ever.
 */
import { type Options, options } from 'preact';

/** Called before and after anything is drawn; they are preact's own names, which its signals use, too. */
interface Hooks extends Options {
  __b?: (...drawn: unknown[]) => void;
  __c?: (...drawn: unknown[]) => void;
}

/**
 * Keeps texts. Called once, before anything is drawn. Changes of the page while nothing is drawn are somebody else's.
 */
export function keepTexts(root: Element): void {
  const replaced = new Map<Node, readonly Node[]>();
  let isDrawing = false;
  const restore = (text: Node) => {
    const [first, ...others] = replaced.get(text) ?? [];
    replaced.delete(text);
    if (first?.parentNode == null) return;
    first.parentNode.replaceChild(text, first);
    for (const other of others) other.parentNode?.removeChild(other);
  };
  const observer = new MutationObserver((records) => {
    if (!isDrawing) note(records);
  });
  const note = (records: readonly MutationRecord[]) => {
    const strangers = new Set(records.flatMap(({ addedNodes }) => Array.from(addedNodes)));
    for (const { type, target, addedNodes, removedNodes, previousSibling, nextSibling } of records) {
      if (type === 'characterData') restore(target);
      const beside = [previousSibling, nextSibling].filter((node) => node !== null && strangers.has(node));
      const inItsPlace = addedNodes.length > 0 ? Array.from(addedNodes) : beside.slice(0, 1);
      const text = Array.from(removedNodes).find((node) => node.nodeType === Node.TEXT_NODE);
      if (text === undefined || inItsPlace.length === 0) continue;
      replaced.set(text, inItsPlace as Node[]);
      // A signal writes into its text without drawing.
      observer.observe(text, { characterData: true });
    }
  };
  const hooks: Hooks = options;
  const { __b: before, __c: after } = hooks;
  hooks.__b = (...drawn) => {
    if (!isDrawing) {
      note(observer.takeRecords());
      for (const text of Array.from(replaced.keys())) restore(text);
      isDrawing = true;
    }
    before?.(...drawn);
  };
  hooks.__c = (...drawn) => {
    after?.(...drawn);
    observer.takeRecords();
    isDrawing = false;
  };
  observer.observe(root, { childList: true, subtree: true });
}
