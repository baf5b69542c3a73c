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

export interface SecretFiles {
  /** The environment with the secrets of files. */
  readonly env: Environment;
  /** Errors of the files that could not be read, by the variable of their secret. */
  readonly troubles: Readonly<Record<string, ConfigError>>;
}

export function readSecretFiles(env: Environment): SecretFiles {
  const files = {
    PURSER_MASTER_KEY: env.PURSER_MASTER_KEY_FILE,
    PURSER_OPERATOR_TOKEN: env.PURSER_OPERATOR_TOKEN_FILE,
    PURSER_ALERT_SECRET: env.PURSER_ALERT_SECRET_FILE,
  };
  const secrets: Record<string, string> = {};
  const troubles: Record<string, ConfigError> = {};
  for (const [name, path = ''] of Object.entries(files)) {
    if (path === '') continue;
    try {
      secrets[name] = secretOf(name, path, env);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      troubles[name] = error;
    }
  }
  return { env: { ...env, ...secrets }, troubles };
}

/** The environment with the secrets of files. Throws `ConfigError`. */
export function withSecretFiles(env: Environment): Environment {
  const { env: whole, troubles } = readSecretFiles(env);
  const [trouble] = Object.values(troubles);
  if (trouble !== undefined) throw trouble;
  return whole;
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
