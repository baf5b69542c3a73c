/** The console in a browser: takes the code out of the address, and draws. */
import './console.css';
import { render } from 'preact';
import { takeCode } from './api/session.ts';
import { ScreenOfAddress } from './screens/shell/screen-of-address.tsx';
import { App } from './shell/app.tsx';
import { isolateForeignTexts } from './shell/foreign-text.ts';
import { keepTexts } from './shell/kept-texts.ts';
import { startPulse } from './shell/pulse.ts';
import { readAddress } from './shell/router.ts';

const root = document.getElementById('console');

if (root !== null) {
  await takeCode();
  readAddress();
  for (const event of ['hashchange', 'popstate'])
    addEventListener(event, () => {
      // Another address of `purser console` in the same tab loads no page. Its code leaves it before it is read.
      void takeCode();
      readAddress();
    });
  isolateForeignTexts();
  keepTexts(root);
  startPulse();
  render(<App Shown={ScreenOfAddress} />, root);
}
