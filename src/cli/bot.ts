/** `purser bot`: the chat bot, as a process of its own. */
import { type Command, Option } from 'commander';
import { moment } from './argument.ts';
import type { BotFlags } from './bot-run.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The languages of `src/bot/texts/`. */
const LANGUAGES = ['en', 'ru', 'zh'];

export function addBotCommand(program: Command, terminal: Terminal): void {
  program
    .command('bot')
    .description('sell in Telegram: answer customers, and send them what they bought')
    .requiredOption('--telegram-token-file <FILE>', 'file with the token that BotFather gave')
    .option('--operator <URL>', 'operator API (env: PURSER_OPERATOR_URL)')
    .option('--token-file <FILE>', 'file with a token of role bot (env: PURSER_OPERATOR_TOKEN)')
    .requiredOption('--state <DIR>', 'folder of this bot, which keeps what it must not forget')
    .option('--telegram-api <URL>', 'the Bot API', 'https://api.telegram.org')
    .addOption(new Option('--language <CODE>', 'what the bot speaks').choices(LANGUAGES).default('en'))
    .option('--since <TIME>', 'from when on a new bot sends copies of orders (default: now)', moment)
    .action(async (flags: BotFlags) => (await import('./bot-run.ts')).serveBot(terminal, flags));
}
