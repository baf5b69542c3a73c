/**
 * Texts of a page that can't be read for want of room, as lines that say where.
 *
 * Invariant: no column of a list is left out, no cell lies on another, and figures, times, states and buttons are
 * whole. A free text may end in an ellipsis when its `title` has all of it. The chosen text of a select can be read.
 */
import type { Page } from 'playwright-core';

/** The script for the part of the page that is open: a dialog, or the screen. Run by the page. */
const CUT_TEXTS = `(() => {
  const cut = [];
  const room = document.querySelector('dialog[open]') ?? document.querySelector('main') ?? document.body;
  const boxOf = (element) => element.getBoundingClientRect();
  const isSeen = (element) => boxOf(element).width > 0 && boxOf(element).height > 0;
  const isOver = (a, b) =>
    a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  for (const table of room.querySelectorAll('[role=table]')) {
    const name = table.getAttribute('aria-label');
    const columns = [...table.querySelectorAll('[role=columnheader]')].map(({ textContent }) => textContent);
    for (const row of table.querySelectorAll('[role=row]:has([role=cell])')) {
      const cells = [...row.querySelectorAll('[role=cell]')];
      const say = (at, words) => cut.push(name + ', ' + columns[at] + ' "' + cells[at].textContent + '": ' + words);
      if (cells.length !== columns.length) cut.push(name + ': a row of ' + cells.length + ' cells');
      cells.forEach((cell, at) => {
        if (cell.textContent === '') return;
        const box = boxOf(cell);
        if (!isSeen(cell)) return say(at, 'is not shown');
        if (box.left < boxOf(row).left || box.right > boxOf(row).right + 1) say(at, 'is beside its row');
        if (box.top < boxOf(row).top - 1 || box.bottom > boxOf(row).bottom + 1) say(at, 'is above or below its row');
        const [over] = cells.slice(0, at).filter((other) => other.textContent !== '' && isOver(boxOf(other), box));
        if (over !== undefined) say(at, 'lies on "' + over.textContent + '"');
        const range = document.createRange();
        range.selectNodeContents(cell);
        if (boxOf(range).right <= box.right + 1 && cell.scrollWidth <= cell.clientWidth + 1) return;
        const title = cell.querySelector('[title]')?.title.trim();
        const isTitled = title !== undefined && cell.textContent.trim().endsWith(title);
        if (cell.querySelector('time, .money, .badge, button') !== null || !isTitled) say(at, 'is cut');
      });
    }
  }
  for (const part of room.querySelectorAll('.scrolled, table.plain, dl, .filters, figcaption, .top'))
    if (part.scrollWidth > part.clientWidth + 1) cut.push(part.className + ' "' + part.textContent.slice(0, 40) + '" is wider than its room');
  for (const select of room.querySelectorAll('select')) {
    if (!isSeen(select)) continue;
    const alone = document.createElement('select');
    alone.append(new Option(select.selectedOptions[0]?.textContent));
    select.after(alone);
    Object.assign(alone.style, { position: 'absolute', width: 'auto', minWidth: '0' });
    if (boxOf(alone).width > boxOf(select).width + 1) cut.push('the select "' + select.selectedOptions[0]?.textContent + '" is cut');
    alone.remove();
  }
  // Whatever it was opened in.
  if (room.matches('dialog') && getComputedStyle(room).textAlign !== 'start') cut.push('it does not begin at the start');
  if (room.scrollWidth > room.clientWidth + 1) cut.push('it is wider than its room');
  return cut;
})()`;

/**
 * The script for texts that rows of lists leave out also when they have the focus, which a key or a touch gives them.
 */
const UNREAD_TEXTS = `(() => {
  const unread = [];
  for (const row of document.querySelectorAll('main [role=row]:has([role=cell])')) {
    const target = row.matches('[tabindex]') ? row : row.querySelector('a[tabindex]');
    target?.focus({ focusVisible: true });
    for (const cell of row.querySelectorAll('[role=cell]'))
      if (cell.scrollWidth > cell.clientWidth + 1 || target === null) unread.push(cell.textContent);
  }
  return unread;
})()`;

export function unreadTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate(UNREAD_TEXTS);
}

export function cutTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate(CUT_TEXTS);
}
