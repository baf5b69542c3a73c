/** `purser operator`: people and programs with a name, a role and a token of their own. */
import { type Command, Option } from 'commander';
import { ROLES } from '../engine/operators.ts';
import { duration, moment } from './argument.ts';
import { ClientCommands, table } from './calls/client-commands.ts';
import { fieldLines } from './terminal/answer-text.ts';
import type { Terminal } from './terminal/terminal.ts';

const COLUMNS =
  'operatorId name role externalIdPrefix createdAt expiresAt previousTokenExpiresAt revokedAt'.split(' ');
const BOT_COLUMNS =
  'operatorId name externalIdPrefix lastSeenAt behind nextLineAt unsentMessages blockedChats'.split(' ');

interface CreationFlags {
  readonly name: string;
  readonly role: string;
  readonly externalIdPrefix?: string;
  readonly expires?: number;
}

interface RotationFlags {
  readonly overlap?: string;
  readonly expires?: number;
}

export function addOperatorCommands(program: Command, terminal: Terminal): void {
  const parent = program.command('operator').description('who may call the operator API, by name and role');
  const operator = new ClientCommands(parent, terminal);
  const shownOnce = () => 'This token is shown only once.';
  operator
    .once(
      'create',
      'create an operator with a token of their own',
      ({ name, role, externalIdPrefix, expires }: CreationFlags) => [
        'POST',
        '/operators',
        { name, role, externalIdPrefix, expiresAt: expires },
      ],
      fieldLines,
      ({ operatorId, repeated }) =>
        repeated === true
          ? `The operator is there, and the answer that showed the token was lost: nobody has it. Make another: purser operator rotate ${operatorId}`
          : shownOnce(),
    )
    .requiredOption('--name <NAME>', 'name of the operator; it is never given twice')
    .addOption(
      new Option('--role <ROLE>', 'what the operator may do').choices(ROLES).makeOptionMandatory(true),
    )
    .option(
      '--external-id-prefix <TEXT>',
      'of role bot: accounts whose external id begins so are its own (default: telegram:)',
    )
    .option('--expires <TIME>', 'when the token ends, such as 2026-10-31 (default: never)', moment);
  operator.list('list', 'list operators, revoked ones too', {
    path: '/operators',
    render: table('operators', COLUMNS),
    hasPeriod: true,
  });
  operator.read(
    'bots',
    'how the bots are: when each was there, and how far behind it is',
    () => ['GET', '/bots'],
    table('bots', BOT_COLUMNS),
  );
  operator.call('revoke <operator>', 'end all tokens of an operator at once', (id: number) => {
    return ['DELETE', `/operators/${id}`];
  });
  operator
    .call(
      'rotate <operator>',
      'create a new token; the old one ends at once, or after an overlap',
      (id: number, { overlap, expires }: RotationFlags) => {
        const query = overlap === undefined ? '' : `?${new URLSearchParams({ overlap })}`;
        return ['POST', `/operators/${id}/token${query}`, { expiresAt: expires }];
      },
      fieldLines,
      shownOnce,
    )
    .option('--overlap <DURATION>', 'how long the old token goes on, such as 10m (default: 0)', duration)
    .option(
      '--expires <TIME>',
      'when the new token ends (default: when the old one would have; required if it has)',
      moment,
    );
}
