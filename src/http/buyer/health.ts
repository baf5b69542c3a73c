/** GET /health (SPEC.md §4): no key, no limit, nothing to wait for. */
import { PURSER_VERSION } from '../../version.ts';

export function healthJson(requestId: string): string {
  return JSON.stringify({
    success: true,
    service: 'purser',
    status: 'ok',
    version: PURSER_VERSION,
    requestId,
  });
}
