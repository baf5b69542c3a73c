/** GET /settings: what the node was started with, and where each setting is from; without secrets. */

import { type OperatorRoute, operatorRoute } from '../operator-route.ts';
import { OWNERS } from '../roles.ts';
import { LIST_SETTINGS } from './node-operations.ts';

interface Setting {
  /** The flag without its dashes. */
  readonly name: string;
  readonly env: string;
  readonly value: string | null;
  readonly source: 'flag' | 'environment' | 'file' | 'default';
}

export interface SettingsServices {
  readonly settings: () => readonly Setting[];
}

export function settingsRoutes({ settings }: SettingsServices): OperatorRoute[] {
  return [
    operatorRoute(
      'GET /settings',
      LIST_SETTINGS,
      (context) => context.succeed(200, { settings: settings() }),
      { roles: OWNERS },
    ),
  ];
}
