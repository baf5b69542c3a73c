/** The form of an `Idempotency-Key` (SPEC.md §8): buyers' and operators' alike. */
import { type ApiError, badRequest } from './errors.ts';
import { IDEMPOTENCY_KEY } from './schemas/order.ts';

const KEY_FORM = new RegExp(IDEMPOTENCY_KEY.pattern);
const KEY_MALFORMED = badRequest(
  `Idempotency-Key must be 1 to ${IDEMPOTENCY_KEY.maxLength} printable ASCII characters.`,
);

/** The error for a key of a wrong form. The caller answers when the key is missing. */
export function keyFormError(key: string): ApiError | undefined {
  return key.length > IDEMPOTENCY_KEY.maxLength || !KEY_FORM.test(key) ? KEY_MALFORMED : undefined;
}
