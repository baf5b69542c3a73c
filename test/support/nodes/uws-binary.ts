/**
 * Whether uWebSockets.js loads here, asked by loading it: which Node its binaries fit depends on the release that is
 * installed. Whatever needs it is skipped where it doesn't, and nothing else is.
 */
import { loadUwsBinding } from '../../../src/http/transport/uws-binding.ts';

/** For `skip`: false where it loads, else the reason. */
export const WITHOUT_UWS: string | false = await loadUwsBinding().then(
  () => false,
  (error: Error) => error.message,
);

/** For `skip` of what runs on the transport of that name. */
export function withoutTransport(name: string): string | false {
  return name === 'uws' && WITHOUT_UWS;
}
