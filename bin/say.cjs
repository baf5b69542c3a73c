'use strict';
/*
 * What is said on standard error before the program is there to say it: a line as it is, or, where `serve` was asked
 * for and no terminal reads along, a line of JSON as the log's are.
 */
const { hostname } = require('node:os');

const isLogged = process.argv[2] === 'serve' && !process.stderr.isTTY;

/** `level` is the log's: 30 is information, 60 fatal. */
function say(text, level) {
  const line = { level, time: Date.now(), pid: process.pid, hostname: hostname(), name: 'purser', msg: text };
  process.stderr.write(`${isLogged ? JSON.stringify(line) : text}\n`);
}

module.exports = { isLogged, say };
