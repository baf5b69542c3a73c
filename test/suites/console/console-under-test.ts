/**
 * The console as tests see it: a real node with its data folder, a real browser, and tabs in it.
 *
 * Invariant: a tab notes every error of the page's own console, every exception, every violation of the policy that the
 * page came with, and every request to elsewhere; `close` fails when there was one that the test didn't expect. All
 * tests of a process share the browser; each `describe` has a node of its own, in this process unless it is killed.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Flags } from '../../../src/config/config.ts';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import { eventually } from '../../support/eventually.ts';
import { startInProcess } from '../../support/nodes/node-in-process.ts';
import { OPERATOR_TOKEN, startPurser } from '../../support/nodes/purser-process.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { startChromium, whyNoChromium } from './chromium.ts';

const HEIGHT = 900;
/** Told to the page's console, whose errors are noted. */
const TELL_VIOLATIONS = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  console.error('CSP: ' + violatedDirective + ' ' + blockedURI));`;

export interface TabOptions {
  /** 1280 unless it is said. */
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  /** Whose session it has; empty: nobody's, so it shows Sign in. Default: the owner's. */
  readonly token?: string;
  /** Default: the system's. */
  readonly timezoneId?: string;
  /** The screen at first: `#/accounts`. */
  readonly hash?: string;
  /** Faults that belong to the test, such as `/status of 409/` of a refusal. */
  readonly expected?: RegExp;
}

/** How a `describe` with a browser runs: not at all where there is none. */
export const IN_BROWSER = { skip: whyNoChromium() ?? false, timeout: 900_000 };

/** How screens are looked at. */
export const LOOKS = [
  { width: 390, colorScheme: 'dark' },
  { width: 1_600, colorScheme: 'light' },
] as const;

interface Setup {
  /** By their names in camel case. */
  readonly flags?: Flags;
  /** The node is a process, with this in its environment. Without it, it can't be killed. */
  readonly processEnv?: Readonly<Record<string, string>>;
}

interface RunningNode {
  readonly buyerUrl: string;
  readonly operatorUrl: string;
  stop(): Promise<unknown>;
  kill?(): Promise<void>;
}

let browser: Promise<Browser> | undefined;
after(async () => (await browser)?.close());

/**
 * The console of the `describe` that calls it: started before its tests, its tabs closed after each, and ended after all.
 */
export function consoleForTests(setUp: () => Setup | Promise<Setup> = () => ({})): ConsoleUnderTest {
  const shop = new ConsoleUnderTest();
  before(async () => shop.start(await setUp()));
  afterEach(() => shop.closeTabs());
  after(() => shop.close());
  return shop;
}

export class ConsoleUnderTest {
  operator!: CheckedOperatorClient;
  #folder!: TemporaryFolder;
  #browser!: Browser;
  #setup!: Setup;
  #port!: string;
  #node!: RunningNode;
  readonly #faults: string[] = [];
  /** The contexts of the open tabs. */
  readonly #contexts: BrowserContext[] = [];

  /** Once. The operators' port stays when the node starts again. */
  async start(setup: Setup): Promise<void> {
    browser ??= startChromium();
    this.#folder = await createTemporaryFolder('console');
    this.#setup = setup;
    this.#port = String(await freePort());
    [, this.#browser] = await Promise.all([this.restart(), browser]);
    this.operator = new CheckedOperatorClient(this.#node.operatorUrl, OPERATOR_TOKEN);
  }

  get node(): RunningNode {
    return this.#node;
  }

  /** Without a path. */
  get origin(): string {
    return new URL(this.#node.operatorUrl).origin;
  }

  /** A tab in a browser profile of its own, signed in and on its screen. */
  async tab(options: TabOptions = {}): Promise<Page> {
    const { width = 1280, colorScheme = 'light', token = OPERATOR_TOKEN, hash = '' } = options;
    const { timezoneId } = options;
    const context = await this.#browser.newContext({
      viewport: { width, height: HEIGHT },
      colorScheme,
      ...(timezoneId === undefined ? {} : { timezoneId }),
    });
    this.#contexts.push(context);
    await context.addInitScript(TELL_VIOLATIONS);
    if (token !== '') await context.addInitScript(await this.#sessionOf(token));
    const page = await context.newPage();
    this.#note(context, page, options.expected);
    await page.goto(`${this.origin}/console${hash}`);
    await settled(page);
    return page;
  }

  /** A script that puts a new session where the page looks for one, until it has had it. */
  async #sessionOf(token: string): Promise<string> {
    const { status, text } = await this.operator.json('POST', '/sessions', { token });
    assert.equal(status, 201, text);
    const session = JSON.stringify(JSON.stringify(JSON.parse(text)));
    // An empty page, to which a tab goes at last, has no storage.
    return `if (location.origin !== 'null' && sessionStorage.getItem('tested') === null) {
      sessionStorage.setItem('tested', 'yes');
      sessionStorage.setItem('purser.session', ${session});
    }`;
  }

  /** An operator with this role; answers its token. */
  async operatorWith(role: string, name: string = role): Promise<string> {
    const { body } = await this.operator.json('POST', '/operators', { name, role });
    return body.token ?? assert.fail('no token');
  }

  /** SIGKILL, where the node is a process; until `restart`, nothing answers. */
  async kill(): Promise<void> {
    await (this.#node.kill?.() ?? assert.fail('the node is in this process'));
  }

  async stop(): Promise<void> {
    await this.#node.stop();
  }

  async restart(): Promise<void> {
    const { flags = {}, processEnv } = this.#setup;
    const all = { data: this.#folder.path, port: '0', operatorPort: this.#port, transport: 'node', ...flags };
    this.#node = processEnv === undefined ? await startHere(all) : await startApart(all, processEnv);
  }

  /**
   * Closes the open tabs. They would go on asking the node, and pages that have lost their stand-ins the real one: so
   * they go first.
   */
  async closeTabs(): Promise<void> {
    const contexts = this.#contexts.splice(0);
    const pages = contexts.flatMap((context) => context.pages());
    await Promise.all(pages.map((page) => page.goto('about:blank')));
    // An answer that a test stands in for may be under way.
    await Promise.all(pages.map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
    await Promise.all(contexts.map((context) => context.close()));
  }

  /** Ends everything, and fails when a tab has noted anything. */
  async close(): Promise<void> {
    await this.#node.stop();
    await this.#folder.remove();
    assert.deepEqual(this.#faults, []);
  }

  #note(context: BrowserContext, page: Page, expected: RegExp | undefined): void {
    const note = (fault: string) => {
      if (expected?.test(fault) !== true) this.#faults.push(fault);
    };
    page.on('console', (message) => {
      if (message.type() === 'error') note(`console: ${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => note(`exception: ${error.stack ?? error.message}`));
    context.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol !== 'blob:' && url.protocol !== 'data:' && url.origin !== this.origin)
        note(`a request to elsewhere: ${url.href}`);
    });
  }
}

function startHere(flags: Flags): Promise<RunningNode> {
  return startInProcess(flags, { env: { PURSER_OPERATOR_TOKEN: OPERATOR_TOKEN } });
}

function startApart({ data, ...flags }: Flags, env: Readonly<Record<string, string>>): Promise<RunningNode> {
  const args = Object.entries(flags).flatMap(([name, value]) => [
    `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    String(value),
  ]);
  return startPurser({ dataDir: String(data), flags: args, env });
}

/** The screen has what it asked for. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main[aria-busy=false] h1').waitFor();
}

/** Once the screen has what it asked for: nothing is wider than the window, and axe finds nothing serious or critical. */
export async function assertWellShown(page: Page): Promise<void> {
  await settled(page);
  await assertFits(page);
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(
    grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`),
    [],
  );
}

/** Nothing is wider than the window. */
export async function assertFits(page: Page): Promise<void> {
  const { width } = page.viewportSize() ?? assert.fail('it has a size');
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
}

/** Waits until what has this label, or this text, has the focus: a page draws after the key, not with it. */
export async function focusGoesTo(page: Page, name: string): Promise<void> {
  const focused = 'document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent';
  await eventually(`${name} has the focus`, async () => (await page.evaluate(focused)) === name);
}

/** Fills in the fields of the dialog that is open, by their labels. */
export async function fillIn(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) {
    const field = page.getByRole('dialog').getByLabel(label, { exact: true });
    const isChoice = (await field.evaluate(({ localName }) => localName)) === 'select';
    await (isChoice ? field.selectOption(value) : field.fill(value));
  }
}

/** Opens the action's dialog, fills it in and confirms. */
export async function act(
  page: Page,
  name: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
  await fillIn(page, fields);
  await page.getByRole('dialog', { name }).getByRole('button', { name, exact: true }).click();
}
