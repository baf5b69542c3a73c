/** Permissions of the operator of this tab. They only hide what would be refused: the node decides in any case. */

import { CALL_ROLES } from '../api/call-roles.ts';
import type { Call } from '../api/call-types.ts';
import { role } from '../api/held-session.ts';

/** Calls that the table does not know are left to the node. */
export function may(name: Call): boolean {
  const roles = CALL_ROLES[name];
  return roles === undefined || roles.split(' ').includes(role.value);
}
