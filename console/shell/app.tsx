/** The frame: navigation, banner, the screen of the address, and what is said; or Sign in. */
import type { ComponentType } from 'preact';
import { heldSession } from '../api/held-session.ts';
import { Announcer } from '../parts/announcer.tsx';
import { isBusy } from './busy.ts';
import { ClosedSalesBanner } from './closed-sales-banner.tsx';
import { CodeSignIn } from './code-sign-in.tsx';
import { Navigation } from './navigation.tsx';
import { place } from './router.ts';
import { SignIn } from './sign-in.tsx';
import { WaitingBanner } from './waiting-banner.tsx';

/** `Shown` is the screen of the address. */
export function App({ Shown }: { readonly Shown: ComponentType }) {
  if (heldSession.value === undefined)
    return (
      <>
        <SignIn />
        <Announcer />
      </>
    );
  // No link: the fragment is the address of a screen.
  const toMain = () => document.getElementById('main')?.focus();
  return (
    <>
      <button type="button" class="skip" onClick={toMain}>
        Skip to the content
      </button>
      <div class="frame" key={heldSession.value.token}>
        <Navigation />
        <main id="main" tabIndex={-1} aria-busy={isBusy.value}>
          <CodeSignIn />
          <WaitingBanner />
          <ClosedSalesBanner />
          <Shown key={place.value} />
        </main>
      </div>
      <Announcer />
    </>
  );
}
