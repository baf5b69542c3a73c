/**
 * Secrets in files: a variable that ends with `_FILE` names the file that has the secret. Containers and systemd hand
 * secrets over in this way, for a variable can be read by whoever may look at a process.
 *
 * Invariant: behind this a secret is in its own variable, wherever it is from, so nobody else knows of files.
 */
import { readFileSync } from 'node:fs';
import { codeOf } from '../shared/error-code.ts';
import type { Environment } from './config.ts';
import { ConfigError, quote } from './config-error.ts';

/** The environment with the secrets of files. Throws `ConfigError`. */
export function withSecretFiles(env: Environment): Environment {
  const files = {
    PURSER_MASTER_KEY: env.PURSER_MASTER_KEY_FILE,
    PURSER_OPERATOR_TOKEN: env.PURSER_OPERATOR_TOKEN_FILE,
    PURSER_ALERT_SECRET: env.PURSER_ALERT_SECRET_FILE,
  };
  const secrets = Object.entries(files).flatMap(([name, path = '']) =>
    path === '' ? [] : [[name, secretOf(name, path, env)]],
  );
  return { ...env, ...Object.fromEntries(secrets) };
}

function secretOf(name: string, path: string, env: Environment): string {
  if ((env[name] ?? '') !== '')
    throw new ConfigError(`environment ${name} and ${name}_FILE: both are set; expected one of them`);
  return secretIn(path, `${name}_FILE`);
}

/** White space around it is left out: editors end files with a line break. */
function secretIn(path: string, variable: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const reason = codeOf(error) ?? String(error);
    throw new ConfigError(
      `environment ${variable}: ${quote(path)} cannot be read (${reason}); expected a file that this user may read`,
      { cause: error },
    );
  }
  if (text === '')
    throw new ConfigError(`environment ${variable}: ${quote(path)} is empty; expected a secret`);
  return text;
}
