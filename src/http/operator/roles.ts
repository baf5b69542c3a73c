/** Who may call what: each route names its roles, beside `owner`, who may call everything (the OpenAPI document says which). */
import type { Role } from '../../engine/operators.ts';
import { type ApiError, apiError } from '../errors.ts';
import type { Caller } from './caller.ts';

export type Roles = readonly Role[];

/** Reads, without texts of items. Every role but `metrics` includes it. */
export const READERS: Roles = ['viewer', 'support', 'stock', 'finance'];
export const SCRAPERS: Roles = ['metrics', ...READERS];
export const SUPPORT: Roles = ['support'];
export const STOCK: Roles = ['stock'];
export const FINANCE: Roles = ['finance'];
export const OWNERS: Roles = [];
/** Who is told what the shop took and what it holds, in all: who may read the money report. */
export const TOTALS: Roles = FINANCE;
/** Who is told what goods cost: who buys them in, and who counts the money. */
export const COSTS: Roles = [...STOCK, ...FINANCE];

const ROOT_ONLY =
  'But the shop was restored from a backup, and until sales are open again nobody but root does more than read: whose token ended since the backup is not known. Root comes with the token of the file operator-token of the data folder, or PURSER_OPERATOR_TOKEN.';

export function mayCall(role: Role, roles: Roles): boolean {
  return role === 'owner' || roles.includes(role);
}

export function notYours({ role, ownRole }: Pick<Caller, 'role' | 'ownRole'>, roles: Roles): ApiError {
  if (ownRole !== undefined) return apiError('FORBIDDEN', `Your role is ${ownRole}. ${ROOT_ONLY}`);
  const may = [...roles, 'owner'].join(', ');
  return apiError('FORBIDDEN', `Your role is ${role}. This call is for: ${may}.`);
}
