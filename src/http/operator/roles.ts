/**
 * The roles that may call each route: a route names them, beside `owner`, who may call everything (the OpenAPI document
 * says which).
 */
import type { Role } from '../../engine/operators.ts';
import { type ApiError, apiError } from '../errors.ts';
import type { Caller } from './caller.ts';

export type Roles = readonly Role[];

/** Reads, without texts of items. Every role but `metrics` includes it. */
export const READERS: Roles = ['viewer', 'support', 'stock', 'finance'];
export const SCRAPERS: Roles = ['metrics', ...READERS];
export const SUPPORT: Roles = ['support'];
/** Roles that see the texts of an order that they may see. */
export const TEXTS: Roles = [...SUPPORT, 'bot'];
export const STOCK: Roles = ['stock'];
export const FINANCE: Roles = ['finance'];
export const OWNERS: Roles = [];
/** Roles that are told the shop's totals, of income and of holdings: those that may read the money report. */
export const TOTALS: Roles = FINANCE;
/** Roles that are told the costs of goods: those that buy them in, and those that count the money. */
export const COSTS: Roles = [...STOCK, ...FINANCE];

const ROOT_ONLY =
  'But the shop was restored from a backup, and until sales are open again nobody but root does more than read: whose token ended since the backup is not known. Root comes with the token of the file operator-token of the data folder, or PURSER_OPERATOR_TOKEN.';

/** Whether the caller may make a call that is for these roles. */
export function isFor({ role, ownRole }: Pick<Caller, 'role' | 'ownRole'>, roles: Roles): boolean {
  return ownRole !== 'bot' && mayCall(role, roles);
}

export function mayCall(role: Role, roles: Roles): boolean {
  return role === 'owner' || roles.includes(role);
}

export function notYours({ role, ownRole }: Pick<Caller, 'role' | 'ownRole'>, roles: Roles): ApiError {
  if (ownRole !== undefined) return apiError('FORBIDDEN', `Your role is ${ownRole}. ${ROOT_ONLY}`);
  const may = [...roles, 'owner'].join(', ');
  return apiError('FORBIDDEN', `Your role is ${role}. This call is for: ${may}.`);
}
